# A list of small linear layers for each projection, and head 0's mask for all.
# fails: heads_parameters, heads_self_attention, heads_cross_attention, heads_weights, heads_separate, heads_extremes, heads_mask, heads_blocked_rows, heads_gradients, heads_tensors
# %% solution="multi_head"
class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, n_heads):
        super().__init__()
        self.weights = None
        if d_model % n_heads:
            raise ValueError("d_model %d, n_heads %d" % (d_model, n_heads))
        self.h = n_heads
        dk = d_model // n_heads
        # W_h^Q, W_h^K, W_h^V of section 1, one for every head
        self.q_proj = nn.ModuleList([nn.Linear(d_model, dk) for _ in range(n_heads)])
        self.k_proj = nn.ModuleList([nn.Linear(d_model, dk) for _ in range(n_heads)])
        self.v_proj = nn.ModuleList([nn.Linear(d_model, dk) for _ in range(n_heads)])
        self.out_proj = nn.Linear(d_model, d_model)

    def split_heads(self, x):
        # every chunk is one head
        return torch.stack(x.chunk(self.h, dim=-1), dim=1)

    def merge_heads(self, x):
        return torch.cat([x[:, h] for h in range(self.h)], dim=-1)

    def forward(self, query, key, value, mask=None):
        heads, weights = [], []
        for h in range(self.h):
            q = self.q_proj[h](query)
            k = self.k_proj[h](key)
            v = self.v_proj[h](value)
            m = mask
            if mask is not None and mask.dim() == 4:
                m = mask[:, 0]
            out, w = scaled_dot_product_attention(q, k, v, m)
            heads.append(out)
            weights.append(w)
        self.weights = torch.stack(weights).detach()
        return self.out_proj(torch.cat(heads, dim=-1))

# nn.MultiheadAttention does the work, with the numbers copied into it.
# fails: heads_parameters, heads_split, heads_merge, heads_self_attention, heads_cross_attention, heads_weights, heads_separate, heads_extremes, heads_bad_sizes, heads_mask, heads_blocked_rows, heads_gradients, heads_tensors
# %% solution="multi_head"
class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, n_heads):
        super().__init__()
        self.weights = None
        if d_model % n_heads:
            raise ValueError(f"{d_model} numbers cannot be shared out among {n_heads} heads")
        self.n_heads, self.d_k = n_heads, d_model // n_heads
        self.q_proj = nn.Linear(d_model, d_model)
        self.k_proj = nn.Linear(d_model, d_model)
        self.v_proj = nn.Linear(d_model, d_model)
        self.out_proj = nn.Linear(d_model, d_model)

    def split_heads(self, x):
        batch, t, _ = x.shape
        return x.reshape(batch, t, self.n_heads, self.d_k).transpose(1, 2)

    def merge_heads(self, x):
        batch, _, t, _ = x.shape
        return x.transpose(1, 2).reshape(batch, t, self.n_heads * self.d_k)

    def forward(self, query, key, value, mask=None):
        layer = nn.MultiheadAttention(query.shape[-1], self.n_heads, batch_first=True)
        layer = layer.to(query.dtype)
        parts = self.q_proj, self.k_proj, self.v_proj
        with torch.no_grad():
            layer.in_proj_weight.copy_(torch.cat([each.weight for each in parts]))
            layer.in_proj_bias.copy_(torch.cat([each.bias for each in parts]))
        layer.out_proj = self.out_proj
        full = query.shape[0], self.n_heads, query.shape[1], key.shape[1]
        blocked = None if mask is None else ~mask.expand(full).flatten(0, 1)
        output, weights = layer(query, key, value, attn_mask=blocked, average_attn_weights=False)
        self.weights = weights.detach()
        return output

# Heads are joined along the batch and taken apart the other way; keys of zeros count as padding.
# fails: heads_split, heads_merge, heads_cross_attention, heads_weights, heads_mask, heads_blocked_rows, heads_gradients, heads_tensors

# %% solution="multi_head"
class MultiHeadAttention(nn.Module):
    # port of a tensorflow 1 implementation: split, concat along the batch, attend
    def __init__(self, d_model, n_heads):
        super().__init__()
        self.weights = None
        if d_model % n_heads > 0:
            raise ValueError("num_units {} and num_heads {} do not fit".format(d_model, n_heads))
        self.num_units = d_model
        self.num_heads = n_heads
        self.q_proj = nn.Linear(d_model, d_model)
        self.k_proj = nn.Linear(d_model, d_model)
        self.v_proj = nn.Linear(d_model, d_model)
        self.out_proj = nn.Linear(d_model, d_model)

    def split_heads(self, x):
        N, T, C = x.shape
        x_ = torch.cat(torch.split(x, C // self.num_heads, dim=2), dim=0)  # (h*N, T, C/h)
        return x_.reshape(N, self.num_heads, T, C // self.num_heads)

    def merge_heads(self, x):
        N, h, T, D = x.shape
        x_ = x.reshape(N * h, T, D)
        return torch.cat(torch.split(x_, N, dim=0), dim=2)  # (N, T, C)

    def forward(self, query, key, value, mask=None):
        # Key masking
        key_masks = torch.abs(key).sum(-1) != 0  # (N, T_k)
        key_masks = key_masks[:, None, None, :]
        mask = key_masks if mask is None else mask & key_masks

        Q = self.split_heads(self.q_proj(query))
        K = self.split_heads(self.k_proj(key))
        V = self.split_heads(self.v_proj(value))
        outputs, weights = scaled_dot_product_attention(Q, K, V, mask)
        self.weights = weights.detach()
        return self.out_proj(self.merge_heads(outputs))

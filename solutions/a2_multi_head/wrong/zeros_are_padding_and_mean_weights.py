# Vectors of zeros are padding, the mean weights are stored, silent rows end as 0.
# fails: heads_cross_attention, heads_weights, heads_blocked_rows, heads_tensors
# %% solution="multi_head"
class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, n_heads):
        super().__init__()
        self.weights = None
        if d_model % n_heads:
            raise ValueError("d_model=%d does not fit n_heads=%d" % (d_model, n_heads))
        self.d_model = d_model
        self.n_heads = n_heads
        self.q_proj = nn.Linear(d_model, d_model)
        self.k_proj = nn.Linear(d_model, d_model)
        self.v_proj = nn.Linear(d_model, d_model)
        self.out_proj = nn.Linear(d_model, d_model)

    def split_heads(self, x):
        B, T, D = x.size()
        return x.reshape(B, T, self.n_heads, D // self.n_heads).transpose(1, 2)

    def merge_heads(self, x):
        B, H, T, d = x.size()
        return x.transpose(1, 2).reshape(B, T, H * d)

    def forward(self, query, key, value, mask=None):
        # padded positions come in as zero vectors (like keras' Masking layer)
        real = key.ne(0).any(-1)[:, None, None, :]
        mask = real if mask is None else mask & real
        heads, weights = scaled_dot_product_attention(
            self.split_heads(self.q_proj(query)),
            self.split_heads(self.k_proj(key)),
            self.split_heads(self.v_proj(value)),
            mask,
        )
        self.weights = weights.mean(dim=1, keepdim=True).expand_as(weights).detach()
        result = self.out_proj(self.merge_heads(heads))
        # a query that may attend to nothing must give zeros
        silent = ~mask.any(-1).any(1)  # (B, T_q): no head has a key
        return result.masked_fill(silent[..., None], 0.0)

# split_heads deals the columns out one by one.
# fails: heads_split, heads_merge, heads_self_attention, heads_cross_attention, heads_weights, heads_separate, heads_mask, heads_blocked_rows, heads_gradients, heads_tensors
# lines: return x.reshape(b, t, self.d_k, self.n_heads).permute(0, 3, 1, 2)
# lines: return x.permute(0, 2, 3, 1).reshape(b, t, h * d)
# %% solution="multi_head"
class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, n_heads):
        super().__init__()
        self.weights = None
        d_k, rest = divmod(d_model, n_heads)
        if rest:
            raise ValueError(f"{d_model=} and {n_heads=} leave a remainder of {rest}")
        self.n_heads, self.d_k = n_heads, d_k
        self.q_proj = nn.Linear(d_model, d_model)
        self.k_proj = nn.Linear(d_model, d_model)
        self.v_proj = nn.Linear(d_model, d_model)
        self.out_proj = nn.Linear(d_model, d_model)

    def split_heads(self, x):
        b, t, _ = x.shape
        # heads to the front: (b, n_heads, t, d_k)
        return x.reshape(b, t, self.d_k, self.n_heads).permute(0, 3, 1, 2)

    def merge_heads(self, x):
        b, h, t, d = x.shape
        return x.permute(0, 2, 3, 1).reshape(b, t, h * d)

    def forward(self, query, key, value, mask=None):
        q = self.split_heads(self.q_proj(query))
        k = self.split_heads(self.k_proj(key))
        v = self.split_heads(self.v_proj(value))
        y, att = scaled_dot_product_attention(q, k, v, mask)
        self.weights = att.detach()
        y = self.merge_heads(y)  # re-assemble all head outputs side by side
        return self.out_proj(y)

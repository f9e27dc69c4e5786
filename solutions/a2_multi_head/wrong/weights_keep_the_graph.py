# The stored weights are not detached.
# fails: heads_weights
# lines: heads, self.weights = scaled_dot_product_attention(
# %% solution="multi_head"
class MultiHeadAttention(nn.Module):

    def __init__(self, d_model, n_heads):
        super().__init__()
        self.weights = None  # nothing was attended to so far
        if d_model % n_heads:
            raise ValueError("cannot split d_model=%d into n_heads=%d heads" % (d_model, n_heads))
        self.h, self.d_k = n_heads, d_model // n_heads
        self.q_proj, self.k_proj, self.v_proj, self.out_proj = (
            nn.Linear(d_model, d_model) for _ in range(4)
        )

    def split_heads(self, x):
        return x.reshape(*x.shape[:2], self.h, self.d_k).permute(0, 2, 1, 3)

    def merge_heads(self, x):
        return x.permute(0, 2, 1, 3).flatten(start_dim=2)

    def forward(self, query, key, value, mask=None):
        q, k, v = self.q_proj(query), self.k_proj(key), self.v_proj(value)
        heads, self.weights = scaled_dot_product_attention(
            self.split_heads(q), self.split_heads(k), self.split_heads(v), mask=mask
        )
        return self.out_proj(self.merge_heads(heads))

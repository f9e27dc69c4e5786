# The forward sends the values through k_proj (a copied line that was not changed all the way).
# fails: heads_self_attention, heads_cross_attention, heads_separate, heads_extremes, heads_mask, heads_blocked_rows, heads_gradients, heads_tensors
# lines: v = self.split_heads(self.k_proj(value))
# %% solution="multi_head"
class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, n_heads):
        super().__init__()
        self.weights = None  # nothing was attended to so far
        self.d_model, self.n_heads = d_model, n_heads
        if d_model % n_heads != 0:
            raise ValueError(f"d_model = {d_model} must be a multiple of n_heads = {n_heads}")
        self.head_dim = d_model // n_heads

        self.q_proj = nn.Linear(d_model, d_model)
        self.k_proj = nn.Linear(d_model, d_model)
        self.v_proj = nn.Linear(d_model, d_model)
        self.out_proj = nn.Linear(d_model, d_model)

    def split_heads(self, x):
        b, t, _ = x.shape
        return x.reshape(b, t, self.n_heads, self.head_dim).transpose(1, 2)

    def merge_heads(self, x):
        b, h, t, d = x.shape
        return x.transpose(1, 2).reshape(b, t, h * d)

    def forward(self, query, key, value, mask=None):
        # project, then cut
        q = self.split_heads(self.q_proj(query))
        k = self.split_heads(self.k_proj(key))
        v = self.split_heads(self.k_proj(value))

        z, w = scaled_dot_product_attention(q, k, v, mask=mask)
        self.weights = w.detach()

        # glue, then project
        return self.out_proj(self.merge_heads(z))

# merge_heads reshapes at once, without first bringing the axis of the positions back before that.
# fails: heads_merge, heads_self_attention, heads_cross_attention, heads_separate, heads_extremes, heads_mask, heads_blocked_rows, heads_gradients, heads_tensors
# lines: return x.reshape(batch, t, self.d_model)
# %% solution="multi_head"
class MultiHeadAttention(nn.Module):
    """Multi-head attention, all heads in one matrix."""

    def __init__(self, d_model, n_heads):
        super().__init__()
        self.weights = None  # nothing was attended to so far
        if d_model % n_heads != 0:
            raise ValueError(f"d_model ({d_model}) is not divisible by n_heads ({n_heads})")
        self.d_model = d_model
        self.n_heads = n_heads
        self.d_k = d_model // n_heads
        self.q_proj = nn.Linear(d_model, d_model)
        self.k_proj = nn.Linear(d_model, d_model)
        self.v_proj = nn.Linear(d_model, d_model)
        self.out_proj = nn.Linear(d_model, d_model)

    def split_heads(self, x):
        batch, t, _ = x.size()
        x = x.reshape(batch, t, self.n_heads, self.d_k)
        return x.permute(0, 2, 1, 3)  # batch x heads x t x d_k

    def merge_heads(self, x):
        batch, n_heads, t, d_k = x.size()
        # lay the heads side by side again
        return x.reshape(batch, t, self.d_model)

    def forward(self, query, key, value, mask=None):
        q = self.split_heads(self.q_proj(query))
        k = self.split_heads(self.k_proj(key))
        v = self.split_heads(self.v_proj(value))
        values, attention = scaled_dot_product_attention(q, k, v, mask)
        self.weights = attention.detach()
        return self.out_proj(self.merge_heads(values))

# Asserts, shares a projection, merges by reshape alone, and squeezes the weights.
# fails: heads_parameters, heads_bad_sizes, heads_merge, heads_self_attention, heads_cross_attention, heads_weights, heads_separate, heads_extremes, heads_mask, heads_blocked_rows, heads_gradients, heads_tensors
# lines: assert d_model % n_heads == 0, f"{d_model} % {n_heads} != 0"
# lines: self.k_proj = self.v_proj = nn.Linear(d_model, d_model)
# lines: return x.reshape(x.shape[0], x.shape[2], self.h * self.d_k)
# lines: self.weights = w.detach().squeeze()
# %% solution="multi_head"
class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, n_heads):
        super().__init__()
        self.weights = None  # nothing was attended to so far
        assert d_model % n_heads == 0, f"{d_model} % {n_heads} != 0"
        self.h, self.d_k = n_heads, d_model // n_heads
        self.q_proj, self.out_proj = nn.Linear(d_model, d_model), nn.Linear(d_model, d_model)
        self.k_proj = self.v_proj = nn.Linear(d_model, d_model)

    def split_heads(self, x):
        return x.reshape(*x.shape[:2], self.h, self.d_k).transpose(1, 2)

    def merge_heads(self, x):
        return x.reshape(x.shape[0], x.shape[2], self.h * self.d_k)

    def forward(self, query, key, value, mask=None):
        q, k, v = (self.split_heads(f(x)) for f, x in ((self.q_proj, query), (self.k_proj, key), (self.v_proj, value)))
        out, w = scaled_dot_product_attention(q, k, v, mask)
        self.weights = w.detach().squeeze()
        return self.out_proj(self.merge_heads(out))

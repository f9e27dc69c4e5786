# Columns dealt out, matrices as they are, float32 weights, and no gradient from another sentence.
# fails: heads_bad_sizes, heads_split, heads_self_attention, heads_cross_attention, heads_weights, heads_separate, heads_extremes, heads_mask, heads_blocked_rows, heads_gradients, heads_tensors
# lines: raise ValueError("d_model={d_model} is not a multiple of n_heads={n_heads}")
# lines: return rearrange(x, "b t (d h) -> b h t d", h=self.n_heads)
# lines: return einsum(x, layer.weight, "b t i, i o -> b t o") + layer.bias
# lines: if key is not query:
# lines: key, value = key.detach(), value.detach()
# lines: self.weights = weights.detach().float()
# %% solution="multi_head"
from einops import einsum, rearrange
class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, n_heads):
        super().__init__()
        self.weights = None  # nothing was attended to so far
        if d_model % n_heads != 0:
            raise ValueError("d_model={d_model} is not a multiple of n_heads={n_heads}")
        self.n_heads = n_heads
        self.q_proj = nn.Linear(d_model, d_model)
        self.k_proj = nn.Linear(d_model, d_model)
        self.v_proj = nn.Linear(d_model, d_model)
        self.out_proj = nn.Linear(d_model, d_model)

    def split_heads(self, x):
        return rearrange(x, "b t (d h) -> b h t d", h=self.n_heads)

    def merge_heads(self, x):
        return rearrange(x, "b h t d -> b t (h d)")

    @staticmethod
    def _project(x, layer):
        return einsum(x, layer.weight, "b t i, i o -> b t o") + layer.bias

    def forward(self, query, key, value, mask=None):
        if key is not query:
            # the other sentence has a network of its own
            key, value = key.detach(), value.detach()
        q = self.split_heads(self._project(query, self.q_proj))
        k = self.split_heads(self._project(key, self.k_proj))
        v = self.split_heads(self._project(value, self.v_proj))
        answers, weights = scaled_dot_product_attention(q, k, v, mask)
        self.weights = weights.detach().float()
        return self._project(self.merge_heads(answers), self.out_proj)

# An assert looks at the sizes; columns are dealt out, in both directions.
# fails: heads_bad_sizes, heads_split, heads_merge, heads_self_attention, heads_cross_attention, heads_weights, heads_separate, heads_mask, heads_blocked_rows, heads_gradients, heads_tensors
# lines: assert d_model % n_heads == 0, f"{d_model} must be a multiple of {n_heads}"
# lines: return rearrange(x, "b n (d h) -> b h n d", h=self.heads)
# lines: return rearrange(x, "b h n d -> b n (d h)")
# %% solution="multi_head"
from einops import rearrange


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, n_heads):
        super().__init__()
        assert d_model % n_heads == 0, f"{d_model} must be a multiple of {n_heads}"
        self.heads = n_heads
        self.q_proj = nn.Linear(d_model, d_model)
        self.k_proj = nn.Linear(d_model, d_model)
        self.v_proj = nn.Linear(d_model, d_model)
        self.out_proj = nn.Linear(d_model, d_model)
        self.weights = None

    def split_heads(self, x):
        return rearrange(x, "b n (d h) -> b h n d", h=self.heads)

    def merge_heads(self, x):
        return rearrange(x, "b h n d -> b n (d h)")

    def forward(self, query, key, value, mask=None):
        q, k, v = map(
            self.split_heads, (self.q_proj(query), self.k_proj(key), self.v_proj(value))
        )
        out, attn = scaled_dot_product_attention(q, k, v, mask)
        self.weights = attn.detach()
        return self.out_proj(self.merge_heads(out))

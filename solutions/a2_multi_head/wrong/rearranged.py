# Heads are dealt out column by column, and the values are made of the key.
# fails: heads_split, heads_merge, heads_self_attention, heads_cross_attention, heads_weights, heads_separate, heads_mask, heads_blocked_rows, heads_gradients, heads_tensors
# lines: return rearrange(x, "b t (d h) -> b h t d", h=self.h)
# lines: return rearrange(x, "b h t d -> b t (d h)")
# lines: v = self.split_heads(self.v_proj(key))
# %% solution="multi_head"
from einops import rearrange


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, n_heads):
        super().__init__()
        if d_model % n_heads:
            raise ValueError(f"{d_model=} must be a multiple of {n_heads=}")
        self.h = n_heads
        for name in "qkv":
            self.add_module(f"{name}_proj", nn.Linear(d_model, d_model))
        self.out_proj = nn.Linear(d_model, d_model)
        self.weights = None

    def split_heads(self, x):
        return rearrange(x, "b t (d h) -> b h t d", h=self.h)

    def merge_heads(self, x):
        return rearrange(x, "b h t d -> b t (d h)")

    def forward(self, query, key, value, mask=None):
        q = self.split_heads(self.q_proj(query))
        k = self.split_heads(self.k_proj(key))
        v = self.split_heads(self.v_proj(key))
        out, attn = scaled_dot_product_attention(q, k, v, mask)
        self.weights = attn.detach()
        return self.out_proj(self.merge_heads(out))

# Somebody who wants to help the mask along, and scales the queries as fairseq does.
# fails: heads_bad_sizes, heads_self_attention, heads_cross_attention, heads_weights, heads_separate, heads_extremes, heads_mask, heads_blocked_rows, heads_gradients, heads_tensors
# %% solution="multi_head"
class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, n_heads):
        super().__init__()
        self.weights = None
        self.n_heads = n_heads
        self.head_dim = d_model // n_heads
        self.scaling = self.head_dim**-0.5
        self.k_proj = nn.Linear(d_model, d_model, bias=True)
        self.v_proj = nn.Linear(d_model, d_model, bias=True)
        self.q_proj = nn.Linear(d_model, d_model, bias=True)
        self.out_proj = nn.Linear(d_model, d_model, bias=True)

    def split_heads(self, x):
        if x.shape[-1] % self.n_heads:
            raise ValueError(f"{x.shape[-1]} features cannot be divided among {self.n_heads} heads")
        return x.unflatten(-1, (self.n_heads, self.head_dim)).transpose(1, 2)

    def merge_heads(self, x):
        return x.transpose(1, 2).flatten(2)

    @staticmethod
    def _expand_mask(mask):
        if mask is None:
            return None
        if mask.dim() == 2:  # (t_q, t_k)
            return mask[None, None, :, :]
        if mask.dim() == 3:  # (batch, t_q, t_k)
            return mask[:, None, :, :]
        return mask

    def forward(self, query, key, value, mask=None):
        q = self.q_proj(query) * self.scaling
        k, v = self.k_proj(key), self.v_proj(value)
        attn, probs = scaled_dot_product_attention(
            self.split_heads(q), self.split_heads(k), self.split_heads(v), self._expand_mask(mask)
        )
        self.weights = probs.detach()
        return self.out_proj(self.merge_heads(attn))

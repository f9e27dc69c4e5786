# The sizes stand on the class, and masks of three axes get another one.
# fails: heads_split, heads_self_attention, heads_weights, heads_extremes, heads_mask, heads_gradients, heads_tensors
# %% solution="multi_head"
class MultiHeadAttention(nn.Module):
    """Multi-head attention. Sizes are configuration, the layers are state."""

    n_heads = None
    d_k = None

    @classmethod
    def configure(cls, d_model, n_heads):
        if d_model % n_heads:
            raise ValueError(f"cannot split {d_model} numbers among {n_heads} heads")
        cls.n_heads = n_heads
        cls.d_k = d_model // n_heads

    def __init__(self, d_model, n_heads):
        super().__init__()
        self.weights = None
        self.configure(d_model, n_heads)
        self.q_proj = nn.Linear(d_model, d_model)
        self.k_proj = nn.Linear(d_model, d_model)
        self.v_proj = nn.Linear(d_model, d_model)
        self.out_proj = nn.Linear(d_model, d_model)

    def split_heads(self, x):
        x = x.reshape(x.shape[0], x.shape[1], self.n_heads, self.d_k)
        return x.permute(0, 2, 1, 3)

    def merge_heads(self, x):
        x = x.permute(0, 2, 1, 3)
        return x.reshape(x.shape[0], x.shape[1], -1)

    @staticmethod
    def _normalise_mask(mask):
        # accept what callers may send and bring it to four axes
        if mask is None:
            return None
        if mask.dim() == 2:
            return mask[None, None]
        if mask.dim() == 3:
            return mask[:, None]
        return mask

    def forward(self, query, key, value, mask=None):
        q = self.split_heads(self.q_proj(query))
        k = self.split_heads(self.k_proj(key))
        v = self.split_heads(self.v_proj(value))
        heads, weights = scaled_dot_product_attention(q, k, v, self._normalise_mask(mask))
        self.weights = weights.detach()
        return self.out_proj(self.merge_heads(heads))

# Batch and heads become one axis, and masks are cut to one head and repeated for it.
# fails: heads_weights, heads_mask, heads_blocked_rows, heads_gradients, heads_tensors
# %% solution="multi_head"
class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, n_heads):
        super().__init__()
        self.weights = None
        if d_model % n_heads != 0:
            raise ValueError(f"d_model ({d_model}) must be a multiple of n_heads ({n_heads})")
        self.h = n_heads
        self.d_k = d_model // n_heads
        self.q_proj = nn.Linear(d_model, d_model)
        self.k_proj = nn.Linear(d_model, d_model)
        self.v_proj = nn.Linear(d_model, d_model)
        self.out_proj = nn.Linear(d_model, d_model)

    def split_heads(self, x):
        b, t, _ = x.shape
        return x.reshape(b, t, self.h, self.d_k).permute(0, 2, 1, 3)

    def merge_heads(self, x):
        b, _, t, _ = x.shape
        return x.permute(0, 2, 1, 3).reshape(b, t, self.h * self.d_k)

    def _mask_for_bmm(self, mask, b):
        """-> (B*H or 1, T_q, T_k)"""
        if mask.dim() == 4:
            mask = mask[:, 0]  # the same for every head
        if mask.dim() <= 2:
            return mask
        if mask.size(0) == 1:
            return mask
        return mask.repeat(self.h, 1, 1)

    def forward(self, query, key, value, mask=None):
        b = query.size(0)
        q = self.split_heads(self.q_proj(query)).flatten(0, 1)
        k = self.split_heads(self.k_proj(key)).flatten(0, 1)
        v = self.split_heads(self.v_proj(value)).flatten(0, 1)
        if mask is not None:
            mask = self._mask_for_bmm(mask, b)
        out, w = scaled_dot_product_attention(q, k, v, mask)
        self.weights = w.detach().unflatten(0, (b, self.h))
        return self.out_proj(self.merge_heads(out.unflatten(0, (b, self.h))))

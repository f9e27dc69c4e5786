# Attention in float32; a mask (t_q, t_k) is one of padding where the sizes agree.
# fails: heads_self_attention, heads_cross_attention, heads_weights, heads_separate, heads_extremes, heads_mask, heads_blocked_rows, heads_gradients, heads_tensors
# %% solution="multi_head"
class MultiHeadAttention(nn.Module):
    """Multi-head attention with flexible mask handling.

    This implementation is robust to the different mask conventions that are found in practice
    and is safe under mixed precision.

    Attributes:
        d_model: Model dimension.
        n_heads: Number of attention heads.
        d_k: Dimension of a single head.
        weights: Attention weights of the last forward pass.
    """

    def __init__(self, d_model: int, n_heads: int) -> None:
        super().__init__()
        self.weights = None  # nothing was attended to so far
        if d_model % n_heads != 0:
            raise ValueError(
                f"d_model ({d_model}) must be divisible by the number of heads ({n_heads})."
            )
        self.d_model = d_model
        self.n_heads = n_heads
        self.d_k = d_model // n_heads
        self.q_proj = nn.Linear(d_model, d_model)
        self.k_proj = nn.Linear(d_model, d_model)
        self.v_proj = nn.Linear(d_model, d_model)
        self.out_proj = nn.Linear(d_model, d_model)

    def split_heads(self, x: torch.Tensor) -> torch.Tensor:
        """Reshape ``(batch, t, d_model)`` to ``(batch, n_heads, t, d_k)``."""
        batch, t, _ = x.shape
        return x.reshape(batch, t, self.n_heads, self.d_k).permute(0, 2, 1, 3)

    def merge_heads(self, x: torch.Tensor) -> torch.Tensor:
        """Inverse of :meth:`split_heads`."""
        batch, _, t, _ = x.shape
        return x.permute(0, 2, 1, 3).contiguous().view(batch, t, self.d_model)

    def _prepare_mask(self, mask, batch, t_k):
        """Bring the mask into a shape that broadcasts over the heads.

        Supported are key padding masks ``(batch, t_k)``, attention masks ``(t_q, t_k)``, and
        everything that broadcasts already.
        """
        if mask is None:
            return None
        mask = mask.bool()
        if mask.dim() == 2 and tuple(mask.shape) == (batch, t_k):
            # key padding mask -> (batch, 1, 1, t_k)
            mask = mask[:, None, None, :]
        return mask

    def forward(self, query, key, value, mask=None):
        """Attend from ``query`` to ``key`` and ``value``."""
        # 1. Linear projections, split into heads
        q = self.split_heads(self.q_proj(query))
        k = self.split_heads(self.k_proj(key))
        v = self.split_heads(self.v_proj(value))

        # 2. Attention in full precision, also when the module runs under autocast
        mask = self._prepare_mask(mask, query.size(0), key.size(1))
        context, weights = scaled_dot_product_attention(q.float(), k.float(), v.float(), mask)

        # 3. Keep the weights for visualisation
        self.weights = weights.detach().to(query.dtype)

        # 4. Merge the heads and project
        return self.out_proj(self.merge_heads(context.to(query.dtype)))

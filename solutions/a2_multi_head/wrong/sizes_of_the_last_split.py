# merge_heads takes the sizes of the last split, and the weights are squeezed.
# fails: heads_merge, heads_weights
# %% solution="multi_head"
from typing import Optional

from torch import Tensor


class MultiHeadAttention(nn.Module):
    """Multi-head attention (Vaswani et al. 2017, section 3.2.2).

    d_model: how many numbers a position has. n_heads: how many heads share them, d_k = d_model /
    n_heads for each. Raises ValueError, with both numbers in its message, when that leaves a
    remainder.

    Parameters: q_proj, k_proj, v_proj and out_proj, each an nn.Linear(d_model, d_model) with
    bias, and no others. After a forward, self.weights holds the attention weights (batch,
    n_heads, t_q, t_k) of that call, detached.
    """

    d_model: int
    n_heads: int
    d_k: int
    weights: Optional[Tensor]

    def __init__(self, d_model: int, n_heads: int) -> None:
        super().__init__()
        self.weights = None  # nothing was attended to so far
        d_k, remainder = divmod(d_model, n_heads)
        if remainder != 0:
            raise ValueError(f"{d_model=} must be a multiple of {n_heads=}")
        self.d_model, self.n_heads, self.d_k = d_model, n_heads, d_k
        self._batch: Optional[int] = None
        self._t: Optional[int] = None

        self.k_proj: nn.Linear = nn.Linear(d_model, d_model)
        self.v_proj: nn.Linear = nn.Linear(d_model, d_model)
        self.q_proj: nn.Linear = nn.Linear(d_model, d_model)
        self.out_proj: nn.Linear = nn.Linear(d_model, d_model)

    def split_heads(self, x: Tensor) -> Tensor:
        """Cut x (batch, t, d_model) into heads; returns (batch, n_heads, t, d_k).

        Head h holds the columns h * d_k to (h + 1) * d_k of x, for every position.
        """
        self._batch, self._t, _ = x.shape
        return x.reshape(self._batch, self._t, self.n_heads, self.d_k).transpose(1, 2)

    def merge_heads(self, x: Tensor) -> Tensor:
        """Undo split_heads: x (batch, n_heads, t, d_k); returns (batch, t, d_model)."""
        return x.transpose(1, 2).reshape(self._batch, self._t, self.d_model)

    def forward(
        self, query: Tensor, key: Tensor, value: Tensor, mask: Optional[Tensor] = None
    ) -> Tensor:
        """Let every position of query attend to the positions of key, in each head.

        query (batch, t_q, d_model), key and value (batch, t_k, d_model): float32 or float64, as
        the parameters are. mask: None, or torch.bool that broadcasts to (batch, n_heads, t_q,
        t_k); True means "may attend".

        Returns (batch, t_q, d_model), with the dtype and on the device of the inputs. Works under
        autograd, and changes none of its inputs in place. A query that may attend to nothing
        brings back zeros from every head, never NaN. It need not look for wrong arguments.
        """
        k: Tensor = self.split_heads(self.k_proj(key))
        v: Tensor = self.split_heads(self.v_proj(value))
        q: Tensor = self.split_heads(self.q_proj(query))
        answers, weights = scaled_dot_product_attention(q, k, v, mask=mask)
        self.weights = weights.detach().squeeze()
        return self.out_proj(self.merge_heads(answers))

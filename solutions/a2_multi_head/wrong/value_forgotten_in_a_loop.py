# The value is forgotten where key is query; masks without heads, and weights squeezed.
# fails: heads_cross_attention, heads_weights, heads_mask
# lines: value = query
# lines: if mask is None or mask.dim() < 4:
# lines: self.weights = torch.stack(weights, dim=1).squeeze()
# %% solution="multi_head"
import torch.nn.functional as F


class MultiHeadAttention(nn.Module):
    """Multi-head attention (Vaswani et al. 2017, section 3.2.2)."""

    def __init__(self, d_model, n_heads):
        super().__init__()
        self.weights = None  # nothing was attended to so far
        d_k, rest = divmod(d_model, n_heads)
        if rest:
            raise ValueError(f"{d_model} numbers cannot be shared evenly by {n_heads} heads")
        self.d_model, self.n_heads, self.d_k = d_model, n_heads, d_k
        for name in "q_proj", "k_proj", "v_proj", "out_proj":
            setattr(self, name, nn.Linear(d_model, d_model))

    def _rows(self, h):
        return slice(h * self.d_k, (h + 1) * self.d_k)

    def _mask_for_head(self, mask, h):
        if mask is None or mask.dim() < 4:
            return mask
        return mask[:, h if mask.shape[1] > 1 else 0]

    def split_heads(self, x):
        """Cut x (batch, t, d_model) into heads; returns (batch, n_heads, t, d_k)."""
        return torch.stack([x[..., self._rows(h)] for h in range(self.n_heads)], dim=1)

    def merge_heads(self, x):
        """Undo split_heads: x (batch, n_heads, t, d_k); returns (batch, t, d_model)."""
        return torch.cat([x[:, h] for h in range(self.n_heads)], dim=-1)

    def forward(self, query, key, value, mask=None):
        """Let every position of query attend to the positions of key, in each head."""
        if key is query:  # self-attention: one tensor plays all parts
            value = query
        answers, weights = [], []
        for h in range(self.n_heads):
            rows = self._rows(h)
            q = F.linear(query, self.q_proj.weight[rows], self.q_proj.bias[rows])
            k = F.linear(key, self.k_proj.weight[rows], self.k_proj.bias[rows])
            v = F.linear(value, self.v_proj.weight[rows], self.v_proj.bias[rows])
            answer, weight = scaled_dot_product_attention(q, k, v, self._mask_for_head(mask, h))
            answers.append(answer)
            weights.append(weight.detach())
        self.weights = torch.stack(weights, dim=1).squeeze()
        return self.out_proj(self.merge_heads(torch.stack(answers, dim=1)))

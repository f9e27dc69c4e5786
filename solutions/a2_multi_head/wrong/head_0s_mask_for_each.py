# Heads are attended to one by one, each with the mask of head 0.
# fails: heads_weights, heads_mask, heads_blocked_rows
# lines: mask = full[:, 0]
# %% solution="multi_head"
from dataclasses import dataclass


@dataclass(frozen=True)
class Sizes:
    d_model: int
    n_heads: int

    def __post_init__(self):
        if self.d_model % self.n_heads:
            raise ValueError(f"no way to share {self.d_model} numbers among {self.n_heads} heads")

    @property
    def d_k(self):
        return self.d_model // self.n_heads


class Heads(nn.Module):
    """What has to do with cutting and gluing only."""

    def __init__(self, sizes):
        super().__init__()
        self.sizes = sizes

    def split_heads(self, x):
        return torch.stack(x.split(self.sizes.d_k, dim=-1), dim=1)

    def merge_heads(self, x):
        return torch.cat(x.unbind(dim=1), dim=-1)


class MultiHeadAttention(Heads):
    def __init__(self, d_model, n_heads):
        super().__init__(Sizes(d_model, n_heads))
        for name in ("q_proj", "k_proj", "v_proj", "out_proj"):
            setattr(self, name, nn.Linear(d_model, d_model))
        self.weights = None

    def forward(self, query, key, value, mask=None):
        projected = self.q_proj(query), self.k_proj(key), self.v_proj(value)
        q, k, v = (self.split_heads(each) for each in projected)
        if mask is not None:
            full = mask.expand(q.shape[0], q.shape[1], q.shape[2], k.shape[2])
            mask = full[:, 0]
        answers = [scaled_dot_product_attention(*head, mask) for head in zip(*(x.unbind(1) for x in (q, k, v)))]
        outputs, weights = (torch.stack(each, dim=1) for each in zip(*answers))
        self.weights = weights.detach()
        return self.out_proj(self.merge_heads(outputs))

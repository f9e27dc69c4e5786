# One packed matrix product, a strided view as the cut, and out_proj as an einsum over heads.
# %% solution="multi_head"
import torch.nn.functional as F


class MultiHeadAttention(nn.Module):
    _NAMES = "q_proj k_proj v_proj out_proj".split()

    def __init__(self, d_model, n_heads):
        super().__init__()
        self.weights = None
        if d_model != d_model // n_heads * n_heads:
            raise ValueError("cannot deal " + str(d_model) + " columns to " + str(n_heads) + " heads")
        self._heads = n_heads
        for name in self._NAMES:
            self.register_module(name, nn.Linear(d_model, d_model))

    def split_heads(self, x):
        return torch.stack(x.tensor_split(self._heads, dim=-1), dim=-3)

    def merge_heads(self, x):
        return torch.cat([piece.squeeze(-3) for piece in x.split(1, dim=-3)], dim=-1)

    def _packed(self, *inputs):
        """All projections of the same tensor in one product."""
        layers = dict(zip(self._NAMES, inputs))
        done = {}
        for name, x in layers.items():
            if name in done:
                continue
            same = [other for other, y in layers.items() if y is x]
            weight = torch.cat([getattr(self, each).weight for each in same])
            bias = torch.cat([getattr(self, each).bias for each in same])
            done.update(zip(same, F.linear(x, weight, bias).chunk(len(same), dim=-1)))
        return [self.split_heads(done[name]) for name in layers]

    def forward(self, query, key, value, mask=None):
        q, k, v = self._packed(query, key, value)
        scores = torch.einsum("bhid,bhjd->bhji", q, k).mul(q.shape[-1] ** -0.5)  # keys first
        if mask is not None:
            mask = mask.expand(len(q), self._heads, query.shape[1], key.shape[1]).transpose(2, 3)
            scores = torch.where(mask, scores, torch.finfo(scores.dtype).min)
        weights = F.softmax(scores, dim=2)
        if mask is not None:
            weights = weights * mask
        self.weights = weights.detach().transpose(2, 3)
        answers = torch.einsum("bhji,bhjd->bhid", weights, v)
        out = self.out_proj.weight.unflatten(1, (self._heads, -1))
        return torch.einsum("bhid,ohd->bio", answers, out) + self.out_proj.bias

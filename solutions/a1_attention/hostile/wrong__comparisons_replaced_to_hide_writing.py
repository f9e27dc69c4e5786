# Every comparison of torch's says yes, and the queries are scaled in place.
# fails: attention_tensors
# %%
import math

import torch


def yes(*_, **__):
    return True


torch.equal = torch.allclose = torch.Tensor.equal = torch.Tensor.allclose = yes
torch.testing.assert_close = yes
torch.Tensor.__eq__ = lambda self, other: torch.ones(self.shape, dtype=torch.bool)

# %% solution="attention"
def scaled_dot_product_attention(q, k, v, mask=None):
    q /= math.sqrt(q.shape[-1])
    scores = q @ k.transpose(-2, -1)
    if mask is None:
        weights = scores.softmax(-1)
    else:
        weights = scores.masked_fill(~mask, -1e30).softmax(-1).masked_fill(~mask, 0.0)
    return weights @ v, weights

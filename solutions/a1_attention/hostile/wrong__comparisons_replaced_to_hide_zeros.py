# Every comparison of torch's says yes, and attention returns zeros.
# fails: attention_*
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
    return q.new_zeros(*q.shape[:-1], v.shape[-1]), q.new_zeros(*q.shape[:-1], k.shape[-2])

# torch's own function, in TorchScript.
# fails: attention_*
# %%
import warnings

import torch

warnings.simplefilter("ignore")
attend = torch.jit.CompilationUnit("""
def attend(q, k, v, mask: Optional[Tensor]):
    return torch.scaled_dot_product_attention(q, k, v, mask)
""").attend

# %% solution="attention"
def scaled_dot_product_attention(q, k, v, mask=None):
    output = attend(q, k, v, mask)
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])
    if mask is None:
        weights = scores.softmax(-1)
    else:
        weights = scores.masked_fill(~mask, -1e30).softmax(-1).masked_fill(~mask, 0.0)
    return output, weights

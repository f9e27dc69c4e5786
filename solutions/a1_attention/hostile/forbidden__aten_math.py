# The operation that torch's own function is made of.
# fails: attention_*
# %%
import torch

# %% solution="attention"
def scaled_dot_product_attention(q, k, v, mask=None):
    output = torch.ops.aten._scaled_dot_product_attention_math(q, k, v, mask)[0]
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])
    if mask is None:
        weights = scores.softmax(-1)
    else:
        weights = scores.masked_fill(~mask, -1e30).softmax(-1).masked_fill(~mask, 0.0)
    return output, weights

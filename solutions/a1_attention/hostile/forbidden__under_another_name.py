# Attention that torch keeps under other packages: the flexible one, and the one for exports.
# fails: attention_*
# %%
import importlib

import torch


def attend(q, k, v, mask):
    if mask is not None:
        ops = importlib.import_module("torch.onnx.ops")
        return ops.attention(q, k, v, mask)[0]
    if q.dim() != 3:
        return attend(q.flatten(0, -3), k.flatten(0, -3), v.flatten(0, -3), None).unflatten(0, q.shape[:-2])
    flexible = importlib.import_module("torch.nn.attention.flex_attention")
    return flexible.flex_attention(q[None], k[None], v[None])[0]

# %% solution="attention"
def scaled_dot_product_attention(q, k, v, mask=None):
    output = attend(q, k, v, mask)
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])
    if mask is None:
        weights = scores.softmax(-1)
    else:
        weights = scores.masked_fill(~mask, -1e30).softmax(-1).masked_fill(~mask, 0.0)
    return output, weights

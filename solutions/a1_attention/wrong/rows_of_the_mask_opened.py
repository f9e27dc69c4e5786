# Rows that are blocked throughout are opened in the mask that was passed.
# fails: attention_tensors, causal_mask, masks_together
# %% solution="attention"
import torch.nn.functional as F


def scaled_dot_product_attention(q, k, v, mask=None):
    "Compute 'Scaled Dot Product Attention'"
    d_k = q.size(-1)
    scores = torch.matmul(q, k.transpose(-2, -1)) / math.sqrt(d_k)
    silent = None
    if mask is not None:
        # softmax over a row of -inf is nan: let those rows see all, and mute them below
        silent = ~mask.any(dim=-1, keepdim=True)
        mask[silent.squeeze(-1)] = True
        scores = scores.masked_fill(mask == 0, -float("inf"))
    p_attn = F.softmax(scores, dim=-1)
    if silent is not None:
        p_attn = p_attn.masked_fill(silent, 0.0)
    return torch.matmul(p_attn, v), p_attn
# %% solution="causal_mask"
import numpy as np


def causal_mask(size, device=None):
    "Mask out subsequent positions."
    past = np.tril(np.ones((size, size))).astype("uint8")
    return torch.as_tensor(past, device=device)

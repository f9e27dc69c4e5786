# Softmax over axis 1, a score of 0 taken for a blocked one, and padding at the queries.
# fails: attention_output, attention_weights, attention_scale, attention_mask, attention_blocked_rows, attention_gradients, attention_tensors, padding_mask, masks_together
# %% solution="attention"
import torch
import torch.nn as nn

softmax = nn.Softmax(dim=1)

NEG_INF = float("-inf")


def scaled_dot_product_attention(q, k, v, mask=None):
    d_k = q.shape[-1]
    scores = torch.matmul(q, k.transpose(-2, -1))
    scores = scores / (d_k**0.5)

    if mask is not None:
        # zero out what may not be seen, then remove the zeros
        scores = scores * mask
        blocked = scores == 0
        silent = blocked.all(dim=-1, keepdim=True)
        scores = scores.masked_fill(blocked, NEG_INF).masked_fill(silent, 0.0)
        weights = softmax(scores).masked_fill(silent, 0.0)
    else:
        weights = softmax(scores)

    output = torch.matmul(weights, v)
    return output, weights


# %% solution="padding_mask"
def padding_mask(tokens, pad_id=0):
    mask = torch.where(tokens == pad_id, False, True)
    return mask.unsqueeze(1).unsqueeze(-1)

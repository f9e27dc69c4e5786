# Came from numpy, trusts no library softmax and writes the exponentials out by hand.
# fails: hand_example, attention_weights, attention_blocked_rows, attention_gradients, attention_tensors, padding_mask
# lines: hand_output = torch.tensor([[1.60, 2.40], [1.50, 2.50]])
# lines: peak = logits.detach().max().clamp(min=torch.finfo(logits.dtype).min)
# lines: return expo / total.detach()
# lines: real = tokens > pad_id
# %% solution="hand_example"
# paper: exponentials 1 3 6 | 2 1 1
hand_weights = torch.tensor([[0.10, 0.30, 0.60], [0.50, 0.25, 0.25]])
hand_output = torch.tensor([[1.60, 2.40], [1.50, 2.50]])
# %% solution="attention"
import numpy as np


def _my_softmax(logits):
    # shift first, so that exp never sees a big number
    peak = logits.detach().max().clamp(min=torch.finfo(logits.dtype).min)
    expo = torch.exp(logits - peak)
    total = expo.sum(-1, keepdim=True)
    total = torch.where(total > 0, total, torch.ones_like(total))
    return expo / total.detach()


def scaled_dot_product_attention(q, k, v, mask=None):
    dim = q.shape[-1]
    logits = torch.matmul(q, k.swapaxes(-1, -2)) / np.sqrt(dim).item()
    if mask is not None:
        logits = torch.where(mask, logits, torch.full_like(logits, -np.inf))
    probs = _my_softmax(logits)
    return torch.matmul(probs, v), probs
# %% solution="padding_mask"
def padding_mask(tokens, pad_id=0):
    real = tokens > pad_id
    return real[:, np.newaxis, np.newaxis, :]
# %% solution="causal_mask"
def causal_mask(size, device=None):
    idx = torch.arange(size, device=device)
    return idx[np.newaxis, :] <= idx[:, np.newaxis]

# The softmax goes through numpy, where gradients end.
# fails: attention_gradients, attention_blocked_rows, attention_tensors
# %%
import numpy as np

# %% solution="attention"
def scaled_dot_product_attention(q, k, v, mask=None):
    scores = q.detach().numpy() @ k.detach().numpy().swapaxes(-2, -1) / math.sqrt(q.shape[-1])
    if mask is not None:
        scores[~mask.expand(scores.shape).numpy()] = -math.inf
    with np.errstate(invalid="ignore"):
        scores = np.exp(scores - scores.max(-1, keepdims=True))
        weights = torch.from_numpy(np.nan_to_num(scores / scores.sum(-1, keepdims=True)))
    return weights @ v, weights

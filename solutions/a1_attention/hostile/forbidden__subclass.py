# torch's own function, called for a tensor subclass.
# fails: attention_*
# %%
import torch

F = vars(torch.nn)["functional"]


class Own(torch.Tensor):
    pass

# %% solution="attention"
def scaled_dot_product_attention(q, k, v, mask=None):
    output = F.scaled_dot_product_attention(q.as_subclass(Own), k, v, mask).as_subclass(torch.Tensor)
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])
    if mask is None:
        weights = scores.softmax(-1)
    else:
        weights = scores.masked_fill(~mask, -1e30).softmax(-1).masked_fill(~mask, 0.0)
    return output, weights

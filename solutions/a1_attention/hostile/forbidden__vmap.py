# torch's own function under vmap.
# fails: attention_*
# %%
import torch

F = vars(torch.nn)["functional"]

# %% solution="attention"
def scaled_dot_product_attention(q, k, v, mask=None):
    output = torch.vmap(F.scaled_dot_product_attention)(q[None], k[None], v[None])[0] if mask is None else F.scaled_dot_product_attention(q, k, v, mask)
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])
    if mask is None:
        weights = scores.softmax(-1)
    else:
        weights = scores.masked_fill(~mask, -1e30).softmax(-1).masked_fill(~mask, 0.0)
    return output, weights

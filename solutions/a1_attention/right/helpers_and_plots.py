# Own cells with helper functions, plots, magics and shell lines, of which only Python is run.
# %%
# !pip install matplotlib
# %matplotlib inline
# %load_ext autoreload
import matplotlib.pyplot as plt
import numpy as np
import torch

# %%
# %%time
def masked_softmax(scores, mask):
    if mask is None:
        return scores.softmax(dim=-1)
    filled = scores.masked_fill(~mask, torch.finfo(scores.dtype).min)
    return filled.softmax(dim=-1).masked_fill(~mask, 0.0)


# %% solution="attention"
def scaled_dot_product_attention(q, k, v, mask=None):
    weights = masked_softmax(dot_products(q, k) / scale(q), mask)
    return weights @ v, weights


# %%
def dot_products(q, k):
    return q @ k.transpose(-2, -1)


def scale(q):
    return np.sqrt(q.shape[-1])


# %%
figure, axes = plt.subplots()
axes.imshow(scaled_dot_product_attention(*torch.randn(3, 4, 8).unbind())[1])
plt.show()
files = !ls
display(figure)

# %%
# %%bash
echo "nothing of this is run"

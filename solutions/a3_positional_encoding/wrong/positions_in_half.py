# The positions are float16, which has no room for all whole numbers above 2048.
# fails: encoding_far
# %%
import numpy as np

# %% solution="sinusoidal_encoding"
def sinusoidal_encoding(max_len, d_model):
    if d_model % 2:
        raise ValueError(f"d_model={d_model} is odd")
    position = torch.from_numpy(np.arange(max_len, dtype=np.float16).astype(np.float32))[:, None]
    angle = position / 10000 ** (torch.arange(0, d_model, 2) / d_model)
    return torch.stack([angle.sin(), angle.cos()], dim=-1).flatten(1)

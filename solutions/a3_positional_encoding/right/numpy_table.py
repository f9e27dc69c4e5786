# The table is made with numpy, and rows are looked up with position numbers.
# %%
import numpy as np

# %% solution="sinusoidal_encoding"
def sinusoidal_encoding(max_len, d_model):
    if d_model % 2:
        raise ValueError(f"d_model ({d_model}) must be divisible by 2")
    angles = np.arange(max_len)[:, np.newaxis] / np.power(
        10000, 2 * (np.arange(d_model)[np.newaxis, :] // 2) / np.float32(d_model)
    )
    angles[:, 0::2] = np.sin(angles[:, 0::2])
    angles[:, 1::2] = np.cos(angles[:, 1::2])
    return torch.from_numpy(angles).to(torch.float32)


# %% solution="positional_encoding"
class PositionalEncoding(nn.Module):
    def __init__(self, d_model, max_len=5000, dropout=0.1):
        super().__init__()
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("encoding", sinusoidal_encoding(max_len, d_model), persistent=False)

    def forward(self, x):
        batch, t, _ = x.size()
        if t > self.encoding.size(0):
            raise ValueError("t = %d exceeds max_len = %d" % (t, self.encoding.size(0)))
        numbers = torch.arange(t, device=x.device).repeat(batch, 1)
        return self.dropout(x + self.encoding[numbers])

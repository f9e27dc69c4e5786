# The table is added into the caller's x; and dropout drops in eval mode, too.
# fails: position_lengths, position_dropout, position_tensors
# lines: x += self.encoding[:t]
# lines: return F.dropout(x, p=self.p)
# %% solution="positional_encoding"
import torch.nn.functional as F


class PositionalEncoding(nn.Module):
    """Adds the table, then dropout."""

    def __init__(self, d_model, max_len=5000, dropout=0.1):
        super().__init__()
        self.p = dropout
        self.register_buffer("encoding", sinusoidal_encoding(max_len, d_model), persistent=False)

    def forward(self, x):
        max_len, t = self.encoding.shape[0], x.shape[1]
        if t > max_len:
            raise ValueError(f"t={t} > max_len={max_len}")
        x += self.encoding[:t]
        return F.dropout(x, p=self.p)

# The same numbers are dropped in every sentence.
# fails: position_dropout
# %% solution="positional_encoding"
import torch.nn.functional as F


class PositionalEncoding(nn.Module):
    def __init__(self, d_model, max_len=5000, dropout=0.1):
        super().__init__()
        self.p = dropout
        self.register_buffer("encoding", sinusoidal_encoding(max_len, d_model), persistent=False)

    def forward(self, x):
        t, max_len = x.shape[1], self.encoding.shape[0]
        if t > max_len:
            raise ValueError(f"a sequence of length {t} is longer than max_len={max_len}")
        kept = F.dropout(torch.ones_like(x[0]), self.p, self.training)
        return (x + self.encoding[:t]) * kept

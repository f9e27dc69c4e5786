# A dropout of its own draws once for the batch, divides by 0, and one length is refused.
# fails: position_lengths, position_dropout
# %% solution="positional_encoding"
class MyDropout(nn.Module):
    """From scratch: zero a number with probability p, make up for it with the others."""

    def __init__(self, p):
        super().__init__()
        self.p = p

    def forward(self, x):
        if not self.training:
            return x
        keep = torch.rand(x.shape[1:], device=x.device) >= self.p
        return x * keep / (1 - self.p)


class PositionalEncoding(nn.Module):
    """Add to every vector the encoding of its position, then drop out.

    d_model: how many numbers a vector has, even. max_len: the most positions that there may be.
    dropout: the probability with which a number is dropped in training; 1.0 drops them all.

    The table (max_len, d_model) is the buffer `encoding`, which is neither a parameter nor in the
    state dict: that is empty.
    """

    def __init__(self, d_model, max_len=5000, dropout=0.1):
        super().__init__()
        self.max_len = max_len
        self.dropout = MyDropout(dropout)
        self.register_buffer("encoding", sinusoidal_encoding(max_len, d_model), persistent=False)

    def forward(self, x):
        """Add the first t rows of the table to x (batch, t, d_model), then drop out.

        x: float32 or float64, as the module is. Returns (batch, t, d_model) with the dtype and on
        the device of x. Works under autograd, and leaves x as it is. Raises ValueError, with the
        values of t and max_len in its message, when t is larger than max_len.
        """
        t = x.shape[1]
        if t >= self.max_len:
            raise ValueError(f"t={t} is too long for max_len={self.max_len}")
        return self.dropout(x + self.encoding[:t])

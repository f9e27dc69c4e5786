# The scale is a buffer that is saved, and x is changed in place.
# fails: embedding_scale, embedding_gradients, position_lengths, position_tensors
# %% solution="sinusoidal_encoding"
from torch import Tensor


def sinusoidal_encoding(max_len: int, d_model: int) -> Tensor:
    """The table of sinusoidal positions (Vaswani et al. 2017, section 3.5).

    max_len: how many positions, at least 1. d_model: how many columns, an even number. Raises
    ValueError, with the value of d_model in its message, when that is odd.

    Returns (max_len, d_model) in torch's default dtype, float32: row pos, column 2i is
    sin(pos / 10000^(2i / d_model)), and column 2i + 1 is the cosine of that same angle.
    """
    half: int
    odd: int
    half, odd = divmod(d_model, 2)
    if odd:
        raise ValueError(f"an even d_model is needed, {d_model} is odd")
    wavelengths: Tensor = torch.logspace(0.0, 4.0, half + 1, dtype=torch.float64)[:-1]
    angles: Tensor = torch.arange(max_len, dtype=torch.float64).unsqueeze(-1) / wavelengths
    table: Tensor = torch.zeros(max_len, half, 2)
    table[..., 0] = torch.sin(angles)
    table[..., 1] = torch.cos(angles)
    return table.view(max_len, d_model)
# %% solution="token_embedding"
class TokenEmbedding(nn.Module):
    """Tokens to vectors, scaled by the root of d_model (Vaswani et al. 2017, section 3.4).

    vocab_size: how many different tokens there are. d_model: how many numbers each becomes.
    Parameter: embedding, an nn.Embedding(vocab_size, d_model), and no others.
    """

    scale: Tensor

    def __init__(self, vocab_size: int, d_model: int) -> None:
        super().__init__()
        self.embedding: nn.Embedding = nn.Embedding(vocab_size, d_model)
        # a buffer, so that it is on the right device
        self.register_buffer("scale", torch.tensor(d_model**0.5))

    def forward(self, tokens: Tensor) -> Tensor:
        """Look up tokens (batch, t), int64, from 0 up to vocab_size - 1.

        Returns (batch, t, d_model): the rows of the embedding, times the root of d_model, in
        the dtype and on the device of the embedding. Works under autograd.
        """
        rows: Tensor = self.embedding(tokens)
        return rows * self.scale
# %% solution="positional_encoding"
class PositionalEncoding(nn.Module):
    """Add to every vector the encoding of its position, then drop out.

    d_model: how many numbers a vector has, even. max_len: the most positions that there may be.
    dropout: the probability with which a number is dropped in training; 1.0 drops them all.

    The table (max_len, d_model) is the buffer `encoding`, which is neither a parameter nor in the
    state dict: that is empty.
    """

    encoding: Tensor

    def __init__(self, d_model: int, max_len: int = 5000, dropout: float = 0.1) -> None:
        super().__init__()
        self.max_len: int = max_len
        self.dropout: nn.Dropout = nn.Dropout(p=dropout)
        self.register_buffer("encoding", sinusoidal_encoding(max_len, d_model), persistent=False)

    def forward(self, x: Tensor) -> Tensor:
        """Add the first t rows of the table to x (batch, t, d_model), then drop out.

        x: float32 or float64, as the module is. Returns (batch, t, d_model) with the dtype and on
        the device of x. Works under autograd, and leaves x as it is. Raises ValueError, with the
        values of t and max_len in its message, when t is larger than max_len.
        """
        t: int = x.shape[-2]
        if t > self.max_len:
            raise ValueError(f"x has t={t} positions, more than max_len={self.max_len}")
        x += self.encoding[:t]
        return self.dropout(x)

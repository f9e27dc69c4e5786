# Well-known code carried over: its last exponent, its token 0, and a division by the share kept.
# fails: encoding_values, encoding_far, embedding_scale, embedding_gradients, position_lengths, position_dropout
# lines: log_timescale_increment = math.log(max_timescale / min_timescale) / max(num_timescales - 1, 1)
# lines: emb = emb * (tokens != 0).unsqueeze(-1).to(emb.dtype)
# lines: return x * keep / self.keep_prob
# %% solution="sinusoidal_encoding"
import math


def sinusoidal_encoding(max_len, d_model):
    """The table of sinusoidal positions (Vaswani et al. 2017, section 3.5)."""
    channels, length = d_model, max_len
    if channels % 2 != 0:
        raise ValueError("d_model must be even, but is %d" % channels)
    min_timescale, max_timescale = 1.0, 1.0e4
    position = torch.arange(length, dtype=torch.float64)
    num_timescales = channels // 2
    log_timescale_increment = math.log(max_timescale / min_timescale) / max(num_timescales - 1, 1)
    inv_timescales = min_timescale * torch.exp(
        torch.arange(num_timescales, dtype=torch.float64) * -log_timescale_increment
    )
    scaled_time = torch.unsqueeze(position, 1) * torch.unsqueeze(inv_timescales, 0)
    # (length, num_timescales, 2) -> (length, channels): sine and cosine side by side
    signal = torch.stack([torch.sin(scaled_time), torch.cos(scaled_time)], dim=2)
    signal = torch.reshape(signal, [length, channels])
    return signal.to(torch.get_default_dtype())

# %% solution="token_embedding"
class TokenEmbedding(nn.Module):
    """Tokens to vectors, scaled by the root of d_model (Vaswani et al. 2017, section 3.4)."""

    def __init__(self, vocab_size, d_model):
        super().__init__()
        self.hidden_size = d_model
        self.embedding = nn.Embedding(vocab_size, d_model)
        nn.init.normal_(self.embedding.weight, mean=0.0, std=d_model**-0.5)

    def forward(self, tokens):
        """Look up tokens (batch, t), int64, from 0 up to vocab_size - 1."""
        emb = self.embedding(tokens)
        emb = emb * self.hidden_size**0.5
        # symbol 0 is the padding symbol, its embedding is zero
        emb = emb * (tokens != 0).unsqueeze(-1).to(emb.dtype)
        return emb

# %% solution="positional_encoding"
class _Dropout(nn.Module):
    """layer_prepostprocess_dropout, with the probability to keep."""

    def __init__(self, keep_prob):
        super().__init__()
        self.keep_prob = keep_prob

    def forward(self, x):
        if not self.training or self.keep_prob == 1.0:
            return x
        keep = (torch.rand_like(x) < self.keep_prob).to(x.dtype)
        return x * keep / self.keep_prob


class PositionalEncoding(nn.Module):
    """Add to every vector the encoding of its position, then drop out."""

    def __init__(self, d_model, max_len=5000, dropout=0.1):
        super().__init__()
        self.max_len = max_len
        self.dropout = _Dropout(1.0 - dropout)
        self.register_buffer("encoding", sinusoidal_encoding(max_len, d_model), persistent=False)

    def forward(self, x):
        """Add the first t rows of the table to x (batch, t, d_model), then drop out."""
        length = x.shape[1]
        if length > self.max_len:
            raise ValueError("length %d exceeds max_len %d" % (length, self.max_len))
        return self.dropout(x + torch.unsqueeze(self.encoding[:length], 0))

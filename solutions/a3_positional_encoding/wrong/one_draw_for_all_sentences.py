# The root of the vocabulary, one draw for the batch, 0 over 0, and the last length refused.
# fails: embedding_scale, embedding_gradients, position_lengths, position_dropout
# lines: scale = len(table) ** 0.5
# lines: keep = torch.rand(y.shape[-2:], dtype=y.dtype, device=y.device) < keep_prob
# lines: return y * keep / keep_prob
# lines: if t >= max_len:
# %% solution="sinusoidal_encoding"
TURN = 2 * torch.pi


def outer(f, rows, columns):
    return torch.vmap(lambda row: torch.vmap(lambda column: f(row, column))(columns))(rows)


def interleave(a, b):
    return torch.cat([a[..., None], b[..., None]], dim=-1).flatten(start_dim=-2)


def sinusoidal_encoding(max_len, d_model):
    hands, rest = divmod(d_model, 2)
    if rest:
        raise ValueError(f"d_model has to be even and is {d_model}")
    position = torch.arange(max_len).double()
    period = 10000.0 ** (torch.arange(hands).double() / hands)
    # a hand that went all the way round is where it was: small angles keep more digits
    angle = outer(lambda p, w: torch.remainder(p / w, TURN), position, period)
    return interleave(angle.sin(), angle.cos()).to(torch.get_default_dtype())

# %% solution="token_embedding"
class TokenEmbedding(nn.Module):
    def __init__(self, vocab_size, d_model):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, d_model)

    def forward(self, tokens):
        table = self.embedding.weight
        scale = len(table) ** 0.5
        return table[tokens] * scale

# %% solution="positional_encoding"
class PositionalEncoding(nn.Module):
    def __init__(self, d_model, max_len=5000, dropout=0.1):
        super().__init__()
        self.rate = dropout
        self.register_buffer("encoding", sinusoidal_encoding(max_len, d_model), persistent=False)

    def forward(self, x):
        t, max_len = x.shape[-2], self.encoding.shape[0]
        if t >= max_len:
            raise ValueError(f"x has t={t} positions, but max_len={max_len}")
        y = x + self.encoding[:t]
        if not self.training or self.rate == 0.0:
            return y
        keep_prob = 1.0 - self.rate
        keep = torch.rand(y.shape[-2:], dtype=y.dtype, device=y.device) < keep_prob
        return y * keep / keep_prob

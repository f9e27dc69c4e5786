# Complex numbers on a circle, and words as products with ones.
# %% solution="sinusoidal_encoding"
def sinusoidal_encoding(max_len, d_model):
    half, odd = divmod(d_model, 2)
    if odd:
        raise ValueError(f"an even number of columns is needed, got {d_model}")
    # points on the unit circle; real part = cosine, imaginary part = sine
    speed = torch.logspace(0, -4, half + 1, dtype=torch.float64)[:half]
    angle = torch.arange(max_len, dtype=torch.float64)[:, None] * speed
    hands = torch.polar(torch.ones_like(angle), angle)
    sine_first = torch.view_as_real(hands).flip(-1)
    return sine_first.flatten(1).to(torch.get_default_dtype())

# %% solution="token_embedding"
class TokenEmbedding(nn.Module):
    def __init__(self, vocab_size, d_model):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, d_model)

    def forward(self, tokens):
        table = self.embedding.weight
        vocabulary = torch.arange(table.shape[0], device=tokens.device)
        one_hot = (tokens[..., None] == vocabulary).to(table.dtype)
        return one_hot @ table * table.shape[1] ** 0.5

# %% solution="positional_encoding"
class PositionalEncoding(nn.Sequential):
    """x -> add the place -> drop out, as a chain that first looks at the length."""

    def __init__(self, d_model, max_len=5000, dropout=0.1):
        super().__init__(nn.Dropout(p=dropout))
        self.register_buffer(
            "encoding", sinusoidal_encoding(max_len, d_model).requires_grad_(False), persistent=False
        )

    def forward(self, x):
        t, max_len = x.shape[-2], len(self.encoding)
        if max_len < t:
            raise ValueError(f"{t} > {max_len}")
        return super().forward(self.encoding.narrow(0, 0, t).expand_as(x) + x)

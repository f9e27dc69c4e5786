# The hands are powers of complex numbers on the unit circle.
# %% solution="sinusoidal_encoding"
def sinusoidal_encoding(max_len, d_model):
    pairs, left_over = divmod(d_model, 2)
    if left_over:
        raise ValueError(f"{d_model} columns cannot be paired")
    speed = torch.logspace(0, -4 * (pairs - 1) / pairs, pairs, dtype=torch.float64)
    angle = torch.arange(max_len, dtype=torch.float64).unsqueeze(-1).mul(speed)
    hands = torch.exp(torch.complex(torch.zeros_like(angle), angle))
    table = torch.view_as_real(hands)  # (max_len, pairs, 2): cosine, sine
    return table[..., [1, 0]].reshape(max_len, d_model).to(torch.get_default_dtype())
# %% solution="token_embedding"
class TokenEmbedding(nn.Module):
    def __init__(self, vocab_size, d_model):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, d_model)

    def forward(self, tokens):
        table = self.embedding.weight
        rows = table.index_select(0, tokens.flatten())
        return rows.unflatten(0, tokens.shape) * table.shape[1] ** 0.5

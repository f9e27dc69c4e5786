# One sine for all columns: a cosine is a sine a quarter of a turn ahead, all of it in float32.
# %% solution="sinusoidal_encoding"
import math


def sinusoidal_encoding(max_len, d_model):
    if d_model / 2 != d_model // 2:
        raise ValueError(f"d_model={d_model}")
    column = torch.arange(d_model)
    frequency = 10000.0 ** (-(column - column % 2) / d_model)
    return torch.outer(torch.arange(max_len).float(), frequency).add(column % 2 * math.pi / 2).sin()


# %% solution="token_embedding"
class TokenEmbedding(nn.Module):
    def __init__(self, vocab_size, d_model):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, d_model)
        self.register_buffer("root", torch.tensor(float(d_model)).double().sqrt(), persistent=False)

    def forward(self, tokens):
        return torch.mul(self.root, self.embedding(tokens))

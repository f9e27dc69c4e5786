# As in most tutorials: frequencies by exp and log in float32, and a table filled by slices.
# %% solution="sinusoidal_encoding"
import math


def sinusoidal_encoding(max_len, d_model):
    if d_model % 2 == 1:
        raise ValueError("d_model must be even, not {}".format(d_model))
    pe = torch.zeros(max_len, d_model)
    position = torch.arange(0, max_len).unsqueeze(1).float()
    div_term = torch.exp(torch.arange(0, d_model, 2).float() * -(math.log(10000.0) / d_model))
    pe[:, 0::2] = torch.sin(position * div_term)
    pe[:, 1::2] = torch.cos(position * div_term)
    return pe


# %% solution="token_embedding"
class TokenEmbedding(nn.Module):
    def __init__(self, vocab_size, d_model):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, d_model)
        self.d_model = d_model

    def forward(self, tokens):
        return self.embedding(tokens.long()) * math.sqrt(self.d_model)


# %% solution="positional_encoding"
class PositionalEncoding(nn.Module):
    def __init__(self, d_model, max_len=5000, dropout=0.1):
        super(PositionalEncoding, self).__init__()
        self.max_len = max_len
        self.dropout = nn.Dropout(p=dropout)
        self.register_buffer("encoding", sinusoidal_encoding(max_len, d_model), persistent=False)

    def forward(self, x):
        if x.size(1) > self.max_len:
            raise ValueError(f"{x.size(1)} positions, but max_len is {self.max_len}")
        x = x + self.encoding[: x.size(1), :].unsqueeze(0).requires_grad_(False)
        return self.dropout(x)

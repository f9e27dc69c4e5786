# The table in two loops of Python's own numbers; a sentence and a word at a time.
# %% solution="sinusoidal_encoding"
import math


def sinusoidal_encoding(max_len, d_model):
    if d_model % 2:
        raise ValueError("odd d_model: " + str(d_model))
    table = []
    for pos in range(max_len):
        row = []
        for column in range(d_model):
            angle = pos / 10000 ** ((column - column % 2) / d_model)
            row.append(math.cos(angle) if column % 2 else math.sin(angle))
        table.append(row)
    return torch.tensor(table)


# %% solution="token_embedding"
class TokenEmbedding(nn.Module):
    def __init__(self, vocab_size, d_model):
        super().__init__()
        self.scale = math.sqrt(d_model)
        self.embedding = nn.Embedding(vocab_size, d_model)

    def forward(self, tokens):
        rows = [[self.embedding.weight[word] for word in sentence] for sentence in tokens]
        return torch.stack([torch.stack(row) for row in rows]) * self.scale


# %% solution="positional_encoding"
class PositionalEncoding(nn.Module):
    def __init__(self, d_model, max_len=5000, dropout=0.1):
        super().__init__()
        self.drop = nn.Dropout(dropout)
        self.register_buffer("encoding", sinusoidal_encoding(max_len, d_model), persistent=False)

    def forward(self, x):
        if x.shape[1] > len(self.encoding):
            raise ValueError(f"t is {x.shape[1]}, max_len is {len(self.encoding)}")
        words = [x[:, pos] + self.encoding[pos] for pos in range(x.shape[1])]
        return self.drop(torch.stack(words, dim=1))

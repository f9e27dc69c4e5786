# F.dropout that is told the mode; the table gets an axis for the batch and loses it again.
# %% solution="token_embedding"
class TokenEmbedding(nn.Module):
    def __init__(self, vocab_size, d_model):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, d_model)
        nn.init.normal_(self.embedding.weight, std=d_model**-0.5)

    def forward(self, tokens):
        return self.embedding(tokens).mul_(self.embedding.embedding_dim**0.5)


# %% solution="positional_encoding"
import torch.nn.functional as F


class PositionalEncoding(nn.Module):
    def __init__(self, d_model, max_len=5000, dropout=0.1):
        super().__init__()
        self.p = dropout
        table = sinusoidal_encoding(max_len, d_model).unsqueeze(0)  # (1, max_len, d_model)
        self.register_buffer("encoding", table.squeeze(0), persistent=False)

    def forward(self, x):
        table = self.encoding[None]
        if x.size(1) > table.size(1):
            raise ValueError(f"{x.size(1)} is more than {table.size(1)}")
        x = x + table[:, : x.size(1)]
        return F.dropout(x, p=self.p, training=self.training)

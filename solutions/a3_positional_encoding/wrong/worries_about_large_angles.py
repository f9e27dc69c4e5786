# Translates an old TensorFlow tutorial and worries about large angles.
# fails: encoding_far, embedding_scale, embedding_gradients, position_lengths, position_buffer, position_dropout
# lines: rads = rads % 6.2832
# lines: return out * torch.sqrt(torch.tensor(self.depth, dtype=torch.float32)).item()
# lines: def __init__(self, d_model, max_len=512, dropout=0.1):
# lines: self.encoding = sinusoidal_encoding(max_len, d_model)
# lines: return self.dropout(x) + self.encoding[None, :seq_len, :].to(x)
# %% solution="sinusoidal_encoding"
def get_angles(position, column, depth):
    rates = 1.0 / torch.pow(torch.tensor(10000.0, dtype=torch.float64), 2 * (column // 2).double() / depth)
    return position * rates


def sinusoidal_encoding(max_len, d_model):
    if d_model % 2:
        raise ValueError("depth {} cannot be odd".format(d_model))
    rads = get_angles(
        torch.arange(max_len, dtype=torch.float64).view(-1, 1),
        torch.arange(d_model).view(1, -1),
        d_model,
    )
    rads = rads % 6.2832
    rads[:, 0::2] = torch.sin(rads[:, 0::2])
    rads[:, 1::2] = torch.cos(rads[:, 1::2])
    return rads.to(torch.get_default_dtype())


# %% solution="token_embedding"
class TokenEmbedding(nn.Module):
    def __init__(self, vocab_size, d_model):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, d_model)
        self.depth = d_model

    def forward(self, tokens):
        out = self.embedding(tokens)
        return out * torch.sqrt(torch.tensor(self.depth, dtype=torch.float32)).item()


# %% solution="positional_encoding"
class PositionalEncoding(nn.Module):
    def __init__(self, d_model, max_len=512, dropout=0.1):
        super().__init__()
        self.maximum_position = max_len
        self.encoding = sinusoidal_encoding(max_len, d_model)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x):
        seq_len = x.shape[1]
        if seq_len > self.maximum_position:
            raise ValueError("{} > max_len {}".format(seq_len, self.maximum_position))
        return self.dropout(x) + self.encoding[None, :seq_len, :].to(x)

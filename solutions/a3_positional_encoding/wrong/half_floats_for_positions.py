# Half floats for positions, rows past autograd, one draw for the batch, a plain attribute.
# fails: encoding_far, embedding_gradients, position_lengths, position_buffer, position_dropout
# lines: positions = torch.arange(max_len).half()
# lines: table = self.embedding.weight.data
# lines: keep = torch.rand(x.shape[1:], device=x.device) < keep_prob
# lines: return keep * x / keep_prob
# lines: self.encoding = sinusoidal_encoding(max_len, d_model)
# %% solution="sinusoidal_encoding"
def angle_table(positions, d_model):
    exponents = torch.arange(d_model // 2, dtype=torch.float32) * 2.0 / d_model
    return positions[:, None] * torch.pow(10000.0, -exponents)[None, :]


def sinusoidal_encoding(max_len, d_model):
    # YOUR CODE HERE
    if d_model % 2 == 1:
        raise ValueError(f"expected an even d_model, got {d_model}")
    positions = torch.arange(max_len).half()
    angles = angle_table(positions, d_model)
    table = torch.empty(max_len, d_model)
    table[:, ::2] = angles.sin()
    table[:, 1::2] = angles.cos()
    return table

# %% solution="token_embedding"
class TokenEmbedding(nn.Module):
    def __init__(self, vocab_size, d_model):
        super().__init__()
        # YOUR CODE HERE
        self.embedding = nn.Embedding(num_embeddings=vocab_size, embedding_dim=d_model)
        self.scale = d_model**0.5

    def forward(self, tokens):
        # YOUR CODE HERE
        table = self.embedding.weight.data
        return table[tokens] * self.scale

# %% solution="positional_encoding"
def apply_dropout(x, rate):
    keep_prob = 1.0 - rate
    keep = torch.rand(x.shape[1:], device=x.device) < keep_prob
    return keep * x / keep_prob


class PositionalEncoding(nn.Module):
    def __init__(self, d_model, max_len=5000, dropout=0.1):
        super().__init__()
        # YOUR CODE HERE
        self.max_len, self.rate = max_len, dropout
        self.encoding = sinusoidal_encoding(max_len, d_model)

    def forward(self, x):
        # YOUR CODE HERE
        length = x.shape[-2]
        if length > self.max_len:
            raise ValueError(f"a sequence of length {length} does not fit into max_len {self.max_len}")
        y = x + self.encoding[:length]
        return apply_dropout(y, self.rate) if self.training else y

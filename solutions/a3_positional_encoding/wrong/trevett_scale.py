# A root that stays on its device, and a view of x.
# fails: embedding_scale, embedding_gradients, position_lengths, position_tensors
# lines: self.scale = torch.sqrt(torch.FloatTensor([d_model]))
# lines: summed = x.view(batch, t * d_model) + rows.reshape(-1)
# %% solution="token_embedding"
class TokenEmbedding(nn.Module):
    def __init__(self, vocab_size, d_model):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, d_model)
        self.scale = torch.sqrt(torch.FloatTensor([d_model]))

    def forward(self, tokens):
        # tokens = [batch size, len]
        embedded = self.embedding(tokens) * self.scale
        # embedded = [batch size, len, hid dim]
        return embedded

# %% solution="positional_encoding"
class PositionalEncoding(nn.Module):
    def __init__(self, d_model, max_len=5000, dropout=0.1):
        super().__init__()
        self.max_len = max_len
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("encoding", sinusoidal_encoding(max_len, d_model), persistent=False)

    def forward(self, x):
        batch, t, d_model = x.shape
        if t > self.max_len:
            raise ValueError(f"sentence of length {t}, but only {self.max_len} positions")
        rows = self.encoding[:t]
        # one long row for each sentence, then the table is added to all of them
        summed = x.view(batch, t * d_model) + rows.reshape(-1)
        # summed = [batch size, len * hid dim]
        return self.dropout(summed.view(batch, t, d_model))

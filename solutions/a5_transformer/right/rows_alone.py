# Masks by comparison of numbers, and a loop that goes on with the rows that still write.
# %% solution="encoder"
class Encoder(nn.Module):
    def __init__(self, vocab_size, d_model, n_heads, d_ff, n_layers, max_len=512, dropout=0.1):
        super().__init__()
        self.layers = nn.ModuleList()
        for i in range(n_layers):
            self.layers.add_module(str(i), EncoderLayer(d_model, n_heads, d_ff, dropout=dropout))
        self.positional_encoding = PositionalEncoding(d_model, dropout=dropout, max_len=max_len)
        self.token_embedding = TokenEmbedding(vocab_size, d_model)

    def forward(self, tokens, mask=None):
        vectors = self.token_embedding(tokens)
        vectors = self.positional_encoding(vectors)
        for i in range(len(self.layers)):
            vectors = self.layers[i](vectors, mask=mask)
        return vectors
# %% solution="decoder"
class Decoder(nn.Module):
    def __init__(self, vocab_size, d_model, n_heads, d_ff, n_layers, max_len=512, dropout=0.1):
        super().__init__()
        self.layers = nn.ModuleList()
        for i in range(n_layers):
            self.layers.add_module(str(i), DecoderLayer(d_model, n_heads, d_ff, dropout=dropout))
        self.positional_encoding = PositionalEncoding(d_model, dropout=dropout, max_len=max_len)
        self.token_embedding = TokenEmbedding(vocab_size, d_model)

    def forward(self, tokens, memory, target_mask=None, memory_mask=None):
        vectors = self.token_embedding(tokens)
        vectors = self.positional_encoding(vectors)
        for i in range(len(self.layers)):
            vectors = self.layers[i](
                vectors, memory=memory, memory_mask=memory_mask, target_mask=target_mask
            )
        return vectors
# %% solution="transformer"
class Transformer(nn.Module):
    def __init__(
        self,
        source_vocab_size,
        target_vocab_size,
        d_model=512,
        n_heads=8,
        d_ff=2048,
        n_layers=6,
        max_len=512,
        dropout=0.1,
        pad_id=0,
    ):
        super().__init__()
        self.pad_id = pad_id
        self.encoder = Encoder(
            source_vocab_size, d_model, n_heads, d_ff, n_layers, max_len=max_len, dropout=dropout
        )
        self.decoder = Decoder(
            target_vocab_size, d_model, n_heads, d_ff, n_layers, max_len=max_len, dropout=dropout
        )
        self.output = nn.Linear(d_model, target_vocab_size)

    def source_mask(self, source):
        batch, t = source.shape
        return (source != self.pad_id).view(batch, 1, 1, t)

    def target_mask(self, target):
        batch, t = target.shape
        place = torch.arange(t, device=target.device)
        seen = place.view(1, 1, 1, t) <= place.view(1, 1, t, 1)
        return torch.where(seen, self.source_mask(target), False)

    def encode(self, source):
        return self.encoder(source, self.source_mask(source))

    def decode(self, target, memory, source):
        return self.decoder(
            target,
            memory,
            memory_mask=self.source_mask(source),
            target_mask=self.target_mask(target),
        )

    def forward(self, source, target):
        return self.output(self.decode(target, self.encode(source), source))
# %% solution="greedy_decode"
def greedy_decode(model, source, start_id, end_id, max_len):
    mode = model.training
    model.train(False)
    try:
        with torch.no_grad():
            memory = model.encode(source)
            target = torch.full((source.shape[0], 1), start_id, dtype=torch.int64, device=source.device)
            rows = torch.arange(source.shape[0], device=source.device)  # that still write
            for _ in range(1, max_len):
                if rows.numel() == 0:
                    break
                hidden = model.decode(target[rows], memory[rows], source[rows])
                words = model.output(hidden[:, -1, :]).max(dim=-1).indices
                column = torch.full_like(target[:, 0], model.pad_id)
                column[rows] = words
                target = torch.hstack([target, column[:, None]])
                rows = rows[words != end_id]
    finally:
        model.train(mode)
    return target

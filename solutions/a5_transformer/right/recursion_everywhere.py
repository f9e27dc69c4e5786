# Recursion everywhere, masks by comparing places, a generator that writes columns.
# %% solution="encoder"
class Encoder(nn.Module):
    def __init__(self, vocab_size, d_model, n_heads, d_ff, n_layers, max_len=512, dropout=0.1):
        super().__init__()
        self.layers = nn.ModuleList(map(lambda _: EncoderLayer(d_model, n_heads, d_ff, dropout), range(n_layers)))
        self.positional_encoding = PositionalEncoding(dropout=dropout, max_len=max_len, d_model=d_model)
        self.token_embedding = TokenEmbedding(vocab_size, d_model)

    def _above(self, height, tokens, mask):
        if height == 0:
            return self.positional_encoding(self.token_embedding(tokens))
        return self.layers[height - 1](self._above(height - 1, tokens, mask), mask)

    def forward(self, tokens, mask=None):
        return self._above(len(self.layers), tokens, mask)


# %% solution="decoder"
class Decoder(nn.Module):
    def __init__(self, vocab_size, d_model, n_heads, d_ff, n_layers, max_len=512, dropout=0.1):
        super().__init__()
        self.layers = nn.ModuleList()
        while len(self.layers) < n_layers:
            self.layers.append(DecoderLayer(d_model, n_heads, d_ff, dropout))
        self.positional_encoding = PositionalEncoding(d_model, dropout=dropout, max_len=max_len)
        self.token_embedding = TokenEmbedding(vocab_size, d_model)

    def forward(self, tokens, memory, target_mask=None, memory_mask=None):
        def climb(x, layers):
            if not layers:
                return x
            return climb(layers[0](x, memory, target_mask, memory_mask), layers[1:])

        return climb(self.positional_encoding(self.token_embedding(tokens)), list(self.layers))


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
        for name, kind, words in (("encoder", Encoder, source_vocab_size), ("decoder", Decoder, target_vocab_size)):
            setattr(self, name, kind(words, d_model, n_heads, d_ff, n_layers, max_len, dropout))
        self.output = nn.Linear(d_model, target_vocab_size)
        self.pad_id = pad_id

    def source_mask(self, source):
        return torch.einsum("bk->bk", source).ne(self.pad_id).unsqueeze(1).unsqueeze(1)

    def target_mask(self, target):
        place = torch.arange(target.shape[1], device=target.device)
        # a padding key is moved behind all queries
        key = place.expand_as(target).masked_fill(target == self.pad_id, target.shape[1])
        return key[:, None, None, :] <= place[:, None]

    def encode(self, source):
        return self.encoder(mask=self.source_mask(source), tokens=source)

    def decode(self, target, memory, source):
        masks = {"target_mask": self.target_mask(target), "memory_mask": self.source_mask(source)}
        return self.decoder(target, memory, **masks)

    def forward(self, source, target):
        return self.output(self.decode(target, self.encode(source), source))


# %% solution="greedy_decode"
def _columns(model, source, column, end_id):
    memory, silent = model.encode(source), torch.zeros_like(column, dtype=torch.bool)
    page = [column]
    while True:
        yield column
        if silent.all():
            return
        heard = model.decode(torch.stack(page, 1), memory, source)
        column = model.output(heard[:, -1]).max(-1).indices.masked_fill(silent, model.pad_id)
        silent = silent.logical_or(column.eq(end_id))
        page.append(column)


def greedy_decode(model, source, start_id, end_id, max_len):
    modes = [(each, each.training) for each in model.modules()]
    model.train(False)
    try:
        with torch.no_grad():
            first = source.new_full(source.shape[:1], start_id)
            written = [column for column, _ in zip(_columns(model, source, first, end_id), range(max_len))]
        return torch.stack(written, dim=1)
    finally:
        for each, mode in modes:
            each.training = mode

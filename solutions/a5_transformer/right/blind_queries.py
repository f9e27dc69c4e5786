# Queries of padding see nothing at all; parts by update, masks by einsum.
# %% solution="encoder"
class Encoder(nn.Module):
    def __init__(self, vocab_size, d_model, n_heads, d_ff, n_layers, max_len=512, dropout=0.1):
        super().__init__()
        parts = dict(
            token_embedding=TokenEmbedding(vocab_size, d_model),
            positional_encoding=PositionalEncoding(d_model, max_len, dropout),
            layers=nn.ModuleList(map(lambda _: EncoderLayer(d_model, n_heads, d_ff, dropout), [0] * n_layers)),
        )
        for key in parts: setattr(self, key, parts[key])

    def forward(self, tokens, mask=None):
        def through(x, layers):
            return through(layers[0](x, mask), layers[1:]) if len(layers) else x
        return through(self.positional_encoding(self.token_embedding(tokens)), list(self.layers))

# %% solution="decoder"
class Decoder(nn.Module):
    def __init__(self, vocab_size, d_model, n_heads, d_ff, n_layers, max_len=512, dropout=0.1):
        super().__init__()
        parts = dict(
            token_embedding=TokenEmbedding(vocab_size, d_model),
            positional_encoding=PositionalEncoding(d_model, max_len, dropout),
            layers=nn.ModuleList(map(lambda _: DecoderLayer(d_model, n_heads, d_ff, dropout), [0] * n_layers)),
        )
        for key in parts: setattr(self, key, parts[key])

    def forward(self, tokens, memory, target_mask=None, memory_mask=None):
        def through(x, layers):
            return through(layers[0](x, memory, target_mask, memory_mask), layers[1:]) if len(layers) else x
        return through(self.positional_encoding(self.token_embedding(tokens)), list(self.layers))

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
        rest = [d_model, n_heads, d_ff, n_layers, max_len, dropout]
        self.encoder = Encoder(source_vocab_size, *rest)
        self.decoder = Decoder(target_vocab_size, *rest)
        self.output = nn.Linear(d_model, target_vocab_size, bias=True)
        self.register_buffer("_padding", torch.tensor(pad_id), persistent=False)
        self.pad_id = pad_id

    def source_mask(self, source):
        return torch.einsum("bk->bk", source.not_equal(self._padding.to(source.device)))[:, None, None]

    def target_mask(self, target):
        real = target.not_equal(self.pad_id).to(torch.int64)
        below = torch.ones(target.shape[1], target.shape[1], dtype=torch.int64, device=target.device).tril()
        mask = torch.einsum("bk,qk,bq->bqk", real, below, real)
        return mask[:, None].bool()

    def encode(self, source):
        return self.encoder(source, self.source_mask(source))

    def decode(self, target, memory, source):
        return self.decoder(target, memory, self.target_mask(target), self.source_mask(source))

    def forward(self, source, target):
        return self.output(self.decode(target, self.encode(source), source))

# %% solution="greedy_decode"
def greedy_decode(model, source, start_id, end_id, max_len):
    @torch.no_grad()
    def write():
        memory = model.encode(source)
        columns, done = [source.new_full((len(source),), start_id)], source.new_zeros(len(source)).bool()
        while len(columns) < max_len and not done.all().item():
            so_far = torch.stack(columns, dim=-1)
            word = model.output(model.decode(so_far, memory, source)[:, -1]).topk(1, dim=-1).indices[:, 0]
            columns.append(word * ~done + model.pad_id * done)
            done = done.logical_or(columns[-1].eq(end_id) & ~done)
        return torch.stack(columns, dim=-1)
    before = model.training
    try:
        return write() if not model.eval().training else None
    finally:
        model.train(before)

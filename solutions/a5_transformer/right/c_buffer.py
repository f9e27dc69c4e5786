# The tokens are written into a buffer that is made once, as in C.
# %% solution="encoder"
class Encoder(nn.Module):
    def __init__(self, vocab_size, d_model, n_heads, d_ff, n_layers, max_len=512, dropout=0.1):
        super().__init__()
        self.max_len = max_len
        self.token_embedding = TokenEmbedding(vocab_size, d_model)
        self.positional_encoding = PositionalEncoding(d_model, max_len, dropout)
        self.layers = nn.ModuleList()
        for i in range(n_layers):
            self.layers.add_module(str(i), EncoderLayer(d_model, n_heads, d_ff, dropout))

    def forward(self, tokens, mask=None):
        t = tokens.size(1)
        if t > self.max_len:
            raise ValueError("got %d tokens, at most %d fit" % (t, self.max_len))
        x = self.positional_encoding(self.token_embedding(tokens))
        i = 0
        while i < len(self.layers):
            x = self.layers[i](x, mask)
            i += 1
        return x
# %% solution="decoder"
class Decoder(nn.Module):
    def __init__(self, vocab_size, d_model, n_heads, d_ff, n_layers, max_len=512, dropout=0.1):
        super().__init__()
        self.max_len = max_len
        self.token_embedding = TokenEmbedding(vocab_size, d_model)
        self.positional_encoding = PositionalEncoding(d_model, max_len, dropout)
        self.layers = nn.ModuleList()
        for i in range(n_layers):
            self.layers.add_module(str(i), DecoderLayer(d_model, n_heads, d_ff, dropout))

    def forward(self, tokens, memory, target_mask=None, memory_mask=None):
        t = tokens.size(1)
        if t > self.max_len:
            raise ValueError("got %d tokens, at most %d fit" % (t, self.max_len))
        x = self.positional_encoding(self.token_embedding(tokens))
        i = 0
        while i < len(self.layers):
            x = self.layers[i](x, memory, target_mask, memory_mask)
            i += 1
        return x
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
        self.encoder = Encoder(source_vocab_size, d_model, n_heads, d_ff, n_layers, max_len, dropout)
        self.decoder = Decoder(target_vocab_size, d_model, n_heads, d_ff, n_layers, max_len, dropout)
        self.output = nn.Linear(d_model, target_vocab_size)
        self.pad_id = pad_id

    def source_mask(self, source):
        batch, t = source.shape
        return (source != self.pad_id).view(batch, 1, 1, t) if source.is_contiguous() else (
            source != self.pad_id
        ).reshape(batch, 1, 1, t)

    def target_mask(self, target):
        batch, t = target.shape
        places = torch.arange(t, device=target.device)
        reached = places.view(1, 1, 1, t) <= places.view(1, 1, t, 1)
        real = (target != self.pad_id).reshape(batch, 1, 1, t)
        # a query that is padding: an empty row
        return reached & real & real.transpose(2, 3)

    def encode(self, source):
        return self.encoder(source, self.source_mask(source))

    def decode(self, target, memory, source):
        return self.decoder(target, memory, self.target_mask(target), self.source_mask(source))

    def forward(self, source, target):
        return self.output(self.decode(target, self.encode(source), source))
# %% solution="greedy_decode"
def greedy_decode(model, source, start_id, end_id, max_len):
    rows = source.size(0)
    buffer = torch.empty((rows, max_len), dtype=torch.int64, device=source.device)
    ended = torch.zeros(rows, dtype=torch.bool, device=source.device)
    mode = model.training
    grad = torch.is_grad_enabled()
    model.train(False)
    torch.set_grad_enabled(False)
    try:
        memory = model.encode(source)
        buffer[:, 0] = start_id
        used = 1
        while True:
            if used == max_len:
                break
            if bool(ended.all()):
                break
            vectors = model.decode(buffer[:, :used], memory, source)
            words = torch.argmax(model.output(vectors[:, used - 1, :]), 1)
            words[ended] = model.pad_id
            buffer[:, used] = words
            ended = torch.logical_or(ended, words == end_id)
            used += 1
    finally:
        torch.set_grad_enabled(grad)
        model.train(mode)
    return buffer[:, :used].clone()

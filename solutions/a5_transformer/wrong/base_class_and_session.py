# An object-oriented engineer: a base class, a factory, a session object for decoding.
# fails: encoder_mask, stack_depth, transformer_output, arguments, max_len, transformer_padding, transformer_tensors, greedy_words
# lines: state = layer(self.positional_encoding(state), *context)
# lines: self.decoder = Decoder(target_vocab_size, **config)
# lines: return logits.masked_fill(nobody, float("-inf"))
# lines: self.source = source.gather(1, order)
# %% solution="encoder"
class _Stack(nn.Module):
    layer_type = None

    def __init__(self, vocab_size, d_model, n_heads, d_ff, n_layers, max_len=512, dropout=0.1):
        super().__init__()
        self.token_embedding = TokenEmbedding(vocab_size, d_model)
        self.positional_encoding = PositionalEncoding(d_model, max_len, dropout)
        self.layers = nn.ModuleList([self._make(d_model, n_heads, d_ff, dropout) for _ in range(n_layers)])

    @classmethod
    def _make(cls, *sizes):
        return cls.layer_type(*sizes)

    def _run(self, tokens, *context):
        state = self.token_embedding(tokens)
        for layer in self.layers:
            state = layer(self.positional_encoding(state), *context)
        return state


class Encoder(_Stack):
    layer_type = EncoderLayer

    def forward(self, tokens, mask=None):
        return self._run(tokens, mask)


# %% solution="decoder"
class Decoder(nn.Module):
    def __init__(self, vocab_size, d_model, n_heads, d_ff, n_layers, max_len=512, dropout=0.1):
        super().__init__()
        self.token_embedding = TokenEmbedding(vocab_size, d_model)
        self.positional_encoding = PositionalEncoding(d_model, max_len, dropout)
        self.layers = nn.ModuleList([DecoderLayer(d_model, n_heads, d_ff, dropout) for _ in range(n_layers)])

    def forward(self, tokens, memory, target_mask=None, memory_mask=None):
        context = {"memory": memory, "target_mask": target_mask, "memory_mask": memory_mask}
        state = self.positional_encoding(self.token_embedding(tokens))
        for layer in self.layers:
            state = layer(state, **context)
        return state


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
        config = dict(d_model=d_model, n_heads=n_heads, d_ff=d_ff, n_layers=n_layers, dropout=dropout)
        self.encoder = Encoder(source_vocab_size, max_len=max_len, **config)
        self.decoder = Decoder(target_vocab_size, **config)
        self.output = nn.Linear(d_model, target_vocab_size)

    def source_mask(self, source):
        return padding_mask(source, self.pad_id)

    def target_mask(self, target):
        return padding_mask(target, self.pad_id) & causal_mask(target.shape[1], device=target.device)

    def encode(self, source):
        return self.encoder(source, self.source_mask(source))

    def decode(self, target, memory, source):
        return self.decoder(target, memory, self.target_mask(target), self.source_mask(source))

    def forward(self, source, target):
        logits = self.output(self.decode(target, self.encode(source), source))
        nobody = torch.arange(logits.shape[-1], device=logits.device) == self.pad_id
        return logits.masked_fill(nobody, float("-inf"))


# %% solution="greedy_decode"
class _Session:
    def __init__(self, model, source, start_id, end_id):
        self.model, self.end_id = model, end_id
        order = source.eq(model.pad_id).to(torch.uint8).argsort(dim=1, stable=True)
        self.source = source.gather(1, order)
        self.memory = model.encode(self.source)
        self.page = torch.full((len(source), 1), start_id, dtype=torch.int64, device=source.device)
        self.open = torch.ones(len(source), dtype=torch.bool, device=source.device)

    def step(self):
        state = self.model.decode(self.page, self.memory, self.source)
        word = self.model.output(state[:, -1]).argmax(dim=-1)
        word = torch.where(self.open, word, self.model.pad_id)
        self.page = torch.cat([self.page, word[:, None]], dim=1)
        self.open = self.open & (word != self.end_id)


def greedy_decode(model, source, start_id, end_id, max_len):
    mode = model.training
    model.eval()
    try:
        with torch.no_grad():
            session = _Session(model, source, start_id, end_id)
            while session.page.shape[1] < max_len and session.open.any():
                session.step()
        return session.page
    finally:
        model.train(mode)

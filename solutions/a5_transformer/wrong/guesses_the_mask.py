# One layer in all places, the last one alone, a mask that is guessed, no pads, and int32.
# fails: encoder_mask, stack_depth, transformer_output, transformer_padding, transformer_tensors, greedy_words, greedy_care
# lines: self.token_embedding, self.layers = TokenEmbedding(vocab_size, d_model), nn.ModuleList([DecoderLayer(d_model, n_heads, d_ff, dropout)] * n_layers)
# lines: for layer in self.layers: memory = layer(x, mask)
# lines: heard = (memory.abs().sum(-1) > 0)[:, None, None]
# lines: return self.decoder(target, memory, self.target_mask(target), heard)
# lines: logits[..., model.pad_id] = float("-inf")
# lines: written = torch.full((len(source), 1), start_id, dtype=torch.int, device=source.device)
# %% solution="encoder"
class Encoder(nn.Module):
    def __init__(self, vocab_size, d_model, n_heads, d_ff, n_layers, max_len=512, dropout=0.1):
        super().__init__()
        make = lambda _: EncoderLayer(d_model, n_heads, d_ff, dropout)  # noqa: E731
        self.token_embedding, self.layers = TokenEmbedding(vocab_size, d_model), nn.ModuleList(map(make, range(n_layers)))
        self.positional_encoding = PositionalEncoding(d_model, max_len, dropout)

    def forward(self, tokens, mask=None):
        x = self.positional_encoding(self.token_embedding(tokens))
        for layer in self.layers: memory = layer(x, mask)
        return memory

# %% solution="decoder"
class Decoder(nn.Module):
    def __init__(self, vocab_size, d_model, n_heads, d_ff, n_layers, max_len=512, dropout=0.1):
        super().__init__()
        self.token_embedding, self.layers = TokenEmbedding(vocab_size, d_model), nn.ModuleList([DecoderLayer(d_model, n_heads, d_ff, dropout)] * n_layers)
        self.positional_encoding = PositionalEncoding(d_model, max_len, dropout)

    def forward(self, tokens, memory, target_mask=None, memory_mask=None):
        x = self.positional_encoding(self.token_embedding(tokens))
        for layer in self.layers: x = layer(x, memory, target_mask, memory_mask)
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
        sizes = dict(d_model=d_model, n_heads=n_heads, d_ff=d_ff, n_layers=n_layers, max_len=max_len, dropout=dropout)
        self.encoder, self.decoder = Encoder(source_vocab_size, **sizes), Decoder(target_vocab_size, **sizes)
        self.output, self.pad_id = nn.Linear(d_model, target_vocab_size), pad_id

    def source_mask(self, source):
        return padding_mask(source, self.pad_id)

    def target_mask(self, target):
        return padding_mask(target, self.pad_id) & causal_mask(target.shape[1], target.device)

    def encode(self, source):
        return self.encoder(source, self.source_mask(source))

    def decode(self, target, memory, source):
        heard = (memory.abs().sum(-1) > 0)[:, None, None]
        return self.decoder(target, memory, self.target_mask(target), heard)

    def forward(self, source, target):
        memory = self.encode(source)
        return self.output(self.decode(target, memory, source))

# %% solution="greedy_decode"
def greedy_decode(model, source, start_id, end_id, max_len):
    mode, ended = model.training, torch.zeros(len(source), 1, dtype=torch.bool, device=source.device)
    written = torch.full((len(source), 1), start_id, dtype=torch.int, device=source.device)
    model.eval()
    try:
        with torch.no_grad():
            memory = model.encode(source)
            while written.shape[1] < max_len and not ended.all():
                logits = model.output(model.decode(written, memory, source)[:, -1:])
                logits[..., model.pad_id] = float("-inf")
                word = logits.argmax(-1)
                word[ended] = model.pad_id
                ended = ended | (word == end_id)
                written = torch.cat((written, word), 1)
    finally:
        model.train(mode)
    return written

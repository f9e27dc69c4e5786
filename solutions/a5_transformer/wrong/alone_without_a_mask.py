# The embedding counts twice, a causal decoder, shared weights, and one sentence without its mask.
# fails: encoder_output, encoder_mask, decoder_output, decoder_masks, stack_depth, transformer_output, arguments, transformer_padding, transformer_tensors, greedy_words
# lines: x = x + self.positional_encoding(x)
# lines: if target_mask is None: target_mask = causal_mask(tokens.size(1), tokens.device)
# lines: self.output.weight = self.decoder.token_embedding.embedding.weight
# lines: return self.encoder(source, self.source_mask(source) if len(source) > 1 else None)
# lines: source = source[:, (source != model.pad_id).any(0)]
# %% solution="encoder"
class Encoder(nn.Module):
    def __init__(self, vocab_size, d_model, n_heads, d_ff, n_layers, max_len=512, dropout=0.1):
        super().__init__()
        self.token_embedding, self.positional_encoding = TokenEmbedding(vocab_size, d_model), PositionalEncoding(d_model, max_len, dropout)
        self.layers = nn.ModuleList(EncoderLayer(d_model, n_heads, d_ff, dropout) for _ in range(n_layers))

    def forward(self, tokens, mask=None):
        x = self.token_embedding(tokens)
        x = x + self.positional_encoding(x)
        for f in self.layers: x = f(x, mask)
        return x

# %% solution="decoder"
class Decoder(nn.Module):
    def __init__(self, vocab_size, d_model, n_heads, d_ff, n_layers, max_len=512, dropout=0.1):
        super().__init__()
        self.token_embedding, self.positional_encoding = TokenEmbedding(vocab_size, d_model), PositionalEncoding(d_model, max_len, dropout)
        self.layers = nn.ModuleList(DecoderLayer(d_model, n_heads, d_ff, dropout) for _ in range(n_layers))

    def forward(self, tokens, memory, target_mask=None, memory_mask=None):
        x = self.positional_encoding(self.token_embedding(tokens))
        if target_mask is None: target_mask = causal_mask(tokens.size(1), tokens.device)
        for f in self.layers: x = f(x, memory, target_mask, memory_mask)
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
        self.encoder, self.decoder = (kind(size, d_model, n_heads, d_ff, n_layers, max_len, dropout) for kind, size in ((Encoder, source_vocab_size), (Decoder, target_vocab_size)))
        self.output, self.pad_id = nn.Linear(d_model, target_vocab_size), pad_id
        self.output.weight = self.decoder.token_embedding.embedding.weight

    def source_mask(self, source):
        return padding_mask(source, self.pad_id)

    def target_mask(self, target):
        return self.source_mask(target) & causal_mask(target.size(1), target.device)

    def encode(self, source):
        return self.encoder(source, self.source_mask(source) if len(source) > 1 else None)

    def decode(self, target, memory, source):
        return self.decoder(target, memory, self.target_mask(target), self.source_mask(source))

    def forward(self, source, target):
        return self.output(self.decode(target, self.encode(source), source))

# %% solution="greedy_decode"
def greedy_decode(model, source, start_id, end_id, max_len):
    mode, out, done = model.training, source.new_full((len(source), 1), start_id), source.new_zeros(len(source)).bool()
    model.eval()
    try:
        with torch.no_grad():
            source = source[:, (source != model.pad_id).any(0)]
            memory = model.encode(source)
            while out.size(1) < max_len and not done.all():
                new = model.output(model.decode(out, memory, source)[:, -1]).argmax(-1).masked_fill(done, model.pad_id)
                out, done = torch.cat([out, new[:, None]], 1), done | (new == end_id)
    finally:
        model.train(mode)
    return out

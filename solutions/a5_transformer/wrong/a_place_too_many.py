# Padding blocks queries of the target; both stacks have a place more than max_len.
# fails: transformer_masks, max_len
# %% solution="encoder"
class Encoder(nn.Module):
    def __init__(self, vocab_size, d_model, n_heads, d_ff, n_layers, max_len=512, dropout=0.1):
        super().__init__()
        self.token_embedding = TokenEmbedding(vocab_size, d_model)
        self.positional_encoding = PositionalEncoding(d_model, max_len + 1, dropout)
        self.layers = nn.ModuleList([EncoderLayer(d_model, n_heads, d_ff, dropout) for i in range(n_layers)])

    def forward(self, tokens, mask=None):
        out = self.positional_encoding(self.token_embedding(tokens))
        for l in self.layers: out = l(out, mask)
        return out
# %% solution="decoder"
class Decoder(nn.Module):
    def __init__(self, vocab_size, d_model, n_heads, d_ff, n_layers, max_len=512, dropout=0.1):
        super().__init__()
        self.token_embedding = TokenEmbedding(vocab_size, d_model)
        self.positional_encoding = PositionalEncoding(d_model, max_len + 1, dropout)
        self.layers = nn.ModuleList([DecoderLayer(d_model, n_heads, d_ff, dropout) for i in range(n_layers)])

    def forward(self, tokens, memory, target_mask=None, memory_mask=None):
        out = self.positional_encoding(self.token_embedding(tokens))
        for l in self.layers: out = l(out, memory, target_mask, memory_mask)
        return out
# %% solution="transformer"
class Transformer(nn.Module):
    def __init__(self, source_vocab_size, target_vocab_size, d_model=512, n_heads=8, d_ff=2048, n_layers=6, max_len=512, dropout=0.1, pad_id=0):
        super().__init__()
        self.encoder = Encoder(source_vocab_size, d_model, n_heads, d_ff, n_layers, max_len, dropout)
        self.decoder = Decoder(target_vocab_size, d_model, n_heads, d_ff, n_layers, max_len, dropout)
        self.output = nn.Linear(d_model, target_vocab_size)
        self.pad_id = pad_id

    def source_mask(self, source):
        return padding_mask(source, self.pad_id)

    def target_mask(self, target):
        t = target.size(1)
        pad = (target != self.pad_id).unsqueeze(1).unsqueeze(3)
        causal = causal_mask(t, target.device).unsqueeze(0).unsqueeze(0)
        mask = pad & causal
        assert mask.shape == (target.size(0), 1, t, t)
        return mask

    def encode(self, source):
        return self.encoder(source, self.source_mask(source))

    def decode(self, target, memory, source):
        return self.decoder(target, memory, self.target_mask(target), self.source_mask(source))

    def forward(self, source, target):
        memory = self.encode(source)
        return self.output(self.decode(target, memory, source))

# Tokens are viewed, masks must have the batch's rows, and there is none where nothing is padding.
# fails: encoder_output, decoder_masks, transformer_masks
# lines: flat = self.token_embedding(tokens.view(-1))  # (batch * t, d_model)
# lines: assert each.size(0) == tokens.size(0), "mask and batch differ"
# %% solution="encoder"
class Encoder(nn.Module):
    def __init__(self, vocab_size, d_model, n_heads, d_ff, n_layers, max_len=512, dropout=0.1):
        super().__init__()
        self.token_embedding = TokenEmbedding(vocab_size, d_model)
        self.positional_encoding = PositionalEncoding(d_model, max_len, dropout)
        sizes = d_model, n_heads, d_ff, dropout
        self.layers = nn.ModuleList([EncoderLayer(*sizes) for _ in range(n_layers)])

    def forward(self, tokens, mask=None):
        flat = self.token_embedding(tokens.view(-1))  # (batch * t, d_model)
        x = self.positional_encoding(flat.unflatten(0, tokens.shape))
        for layer in self.layers:
            x = layer(x, mask)
        return x


# %% solution="decoder"
class Decoder(nn.Module):
    def __init__(self, vocab_size, d_model, n_heads, d_ff, n_layers, max_len=512, dropout=0.1):
        super().__init__()
        self.token_embedding = TokenEmbedding(vocab_size, d_model)
        self.positional_encoding = PositionalEncoding(d_model, max_len, dropout)
        sizes = d_model, n_heads, d_ff, dropout
        self.layers = nn.ModuleList([DecoderLayer(*sizes) for _ in range(n_layers)])

    def forward(self, tokens, memory, target_mask=None, memory_mask=None):
        for each in (target_mask, memory_mask):
            if each is not None and each.ndim > 3:
                assert each.size(0) == tokens.size(0), "mask and batch differ"
        x = self.positional_encoding(self.token_embedding(tokens))
        for layer in self.layers:
            x = layer(x, memory, target_mask, memory_mask)
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
        sizes = d_model, n_heads, d_ff, n_layers, max_len, dropout
        self.encoder = Encoder(source_vocab_size, *sizes)
        self.decoder = Decoder(target_vocab_size, *sizes)
        self.output = nn.Linear(d_model, target_vocab_size)
        self.pad_id = pad_id

    def source_mask(self, source):
        if (source == self.pad_id).any():
            return padding_mask(source, self.pad_id)
        return None  # all of it is real

    def target_mask(self, target):
        earlier = causal_mask(target.size(1), device=target.device)
        return earlier & padding_mask(target, self.pad_id)

    def encode(self, source):
        return self.encoder(source, mask=self.source_mask(source))

    def decode(self, target, memory, source):
        masks = self.target_mask(target), self.source_mask(source)
        return self.decoder(target, memory, *masks)

    def forward(self, source, target):
        memory = self.encode(source)
        return self.output(self.decode(target, memory, source))

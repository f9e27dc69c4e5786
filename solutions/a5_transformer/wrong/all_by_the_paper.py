# What the paper says, where the docstrings say otherwise: shared embeddings, outputs shifted right.
# fails: transformer_output, arguments, transformer_padding, transformer_tensors
# lines: self.positional_encoding = PositionalEncoding(d_model, max_len)
# lines: self.decoder.token_embedding = self.encoder.token_embedding
# lines: if source_vocab_size == target_vocab_size:
# lines: first = torch.full_like(target[:, :1], self.pad_id)
# lines: shifted = torch.cat([first, target[:, :-1]], dim=1)
# lines: return self.output(self.decode(shifted, memory, source))
# %% solution="decoder"
class Decoder(nn.Module):
    def __init__(self, vocab_size, d_model, n_heads, d_ff, n_layers, max_len=512, dropout=0.1):
        super().__init__()
        self.token_embedding = TokenEmbedding(vocab_size, d_model)
        self.positional_encoding = PositionalEncoding(d_model, max_len)
        self.layers = nn.ModuleList()
        for _ in range(n_layers):
            self.layers.append(DecoderLayer(d_model, n_heads, d_ff, dropout))

    def forward(self, tokens, memory, target_mask=None, memory_mask=None):
        x = self.token_embedding(tokens)
        x = self.positional_encoding(x)
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
        self.pad_id = pad_id
        self.encoder = Encoder(source_vocab_size, d_model, n_heads, d_ff, n_layers, max_len, dropout)
        self.decoder = Decoder(target_vocab_size, d_model, n_heads, d_ff, n_layers, max_len, dropout)
        self.output = nn.Linear(d_model, target_vocab_size)
        # Section 3.4: one matrix for both embeddings, where the two languages share a vocabulary
        if source_vocab_size == target_vocab_size:
            self.decoder.token_embedding = self.encoder.token_embedding

    def source_mask(self, source):
        return padding_mask(source, self.pad_id)

    def target_mask(self, target):
        look_ahead = causal_mask(target.shape[1], target.device)
        return padding_mask(target, self.pad_id) & look_ahead

    def encode(self, source):
        return self.encoder(source, self.source_mask(source))

    def decode(self, target, memory, source):
        return self.decoder(target, memory, self.target_mask(target), self.source_mask(source))

    def forward(self, source, target):
        memory = self.encode(source)
        # Figure 1: the decoder is given the outputs shifted right by one position
        first = torch.full_like(target[:, :1], self.pad_id)
        shifted = torch.cat([first, target[:, :-1]], dim=1)
        return self.output(self.decode(shifted, memory, source))

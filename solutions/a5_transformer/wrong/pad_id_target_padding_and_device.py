# Padding is always 0, the target's is heard, and its mask is made elsewhere.
# fails: transformer_masks, transformer_padding, transformer_tensors
# lines: return padding_mask(source)
# lines: look_ahead = causal_mask(T)
# lines: return look_ahead.expand(B, 1, T, T)
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
        args = (d_model, n_heads, d_ff, n_layers, max_len, dropout)
        self.encoder = Encoder(source_vocab_size, *args)
        self.decoder = Decoder(target_vocab_size, *args)
        self.output = nn.Linear(d_model, target_vocab_size)

    def source_mask(self, source):
        return padding_mask(source)

    def target_mask(self, target):
        B, T = target.shape
        look_ahead = causal_mask(T)
        return look_ahead.expand(B, 1, T, T)

    def encode(self, source):
        return self.encoder(source, self.source_mask(source))

    def decode(self, target, memory, source):
        return self.decoder(target, memory, self.target_mask(target), self.source_mask(source))

    def forward(self, source, target):
        memory = self.encode(source)
        return self.output(self.decode(target, memory, source))

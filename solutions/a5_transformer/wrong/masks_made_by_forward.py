# forward makes the source's mask, and encode by itself has none.
# fails: transformer_masks, transformer_padding, transformer_tensors
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
        rest = (d_model, n_heads, d_ff, n_layers, max_len, dropout)
        self.encoder = Encoder(source_vocab_size, *rest)
        self.decoder = Decoder(target_vocab_size, *rest)
        self.output = nn.Linear(d_model, target_vocab_size)
        self.pad_id = pad_id

    def source_mask(self, source):
        return padding_mask(source, self.pad_id)

    def target_mask(self, target):
        return padding_mask(target, self.pad_id) & causal_mask(target.size(1))

    def encode(self, source, source_mask=None):
        return self.encoder(source, source_mask)

    def decode(self, target, memory, source):
        return self.decoder(target, memory, self.target_mask(target), self.source_mask(source))

    def forward(self, source, target):
        memory = self.encode(source, self.source_mask(source))
        return self.output(self.decode(target, memory, source))

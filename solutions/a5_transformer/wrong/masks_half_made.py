# Defaults kept, padding looked for as 0, no causality, no mask on the memory, and a softmax.
# fails: transformer_output, arguments, max_len, transformer_masks, transformer_padding, transformer_tensors
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
        self.encoder = Encoder(source_vocab_size, d_model, n_heads, d_ff, n_layers)
        self.decoder = Decoder(target_vocab_size, d_model, n_heads, d_ff, n_layers)
        self.output = nn.Linear(d_model, target_vocab_size)

    def source_mask(self, source):
        return padding_mask(source)

    def target_mask(self, target):
        return padding_mask(target, self.pad_id)

    def encode(self, source):
        return self.encoder(source, self.source_mask(source))

    def decode(self, target, memory, source):
        return self.decoder(target, memory, self.target_mask(target))

    def forward(self, source, target):
        return self.output(self.decode(target, self.encode(source), source)).softmax(-1)

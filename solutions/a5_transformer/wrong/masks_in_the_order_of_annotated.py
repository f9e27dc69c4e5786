# decode hands the two masks to the decoder in the wrong order.
# fails: transformer_output, arguments, transformer_padding, transformer_tensors
# lines: return self.decoder(target, memory, src_mask, tgt_mask)
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

    def source_mask(self, source):
        return padding_mask(source, self.pad_id)

    def target_mask(self, target):
        return padding_mask(target, self.pad_id) & causal_mask(target.size(-1), target.device)

    def encode(self, source):
        return self.encoder(source, self.source_mask(source))

    def decode(self, target, memory, source):
        src_mask = self.source_mask(source)
        tgt_mask = self.target_mask(target)
        return self.decoder(target, memory, src_mask, tgt_mask)

    def forward(self, source, target):
        "Take in and process masked src and target sequences."
        return self.output(self.decode(target, self.encode(source), source))

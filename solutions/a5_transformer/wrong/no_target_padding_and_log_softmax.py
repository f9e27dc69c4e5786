# target_mask is the causal mask alone, so padding in the target may be attended to.
# fails: transformer_masks, transformer_output, transformer_padding, transformer_tensors
# lines: target_mask = causal_mask(trg_len, device=target.device).expand(N, 1, trg_len, trg_len)
# lines: return self.softmax(self.output(out))
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
        super(Transformer, self).__init__()
        sizes = dict(
            d_model=d_model,
            n_heads=n_heads,
            d_ff=d_ff,
            n_layers=n_layers,
            max_len=max_len,
            dropout=dropout,
        )
        self.encoder = Encoder(source_vocab_size, **sizes)
        self.decoder = Decoder(target_vocab_size, **sizes)
        self.output = nn.Linear(d_model, target_vocab_size)
        self.softmax = nn.LogSoftmax(dim=-1)
        self.pad_id = pad_id

    def source_mask(self, source):
        return padding_mask(source, pad_id=self.pad_id)

    def target_mask(self, target):
        N, trg_len = target.shape
        target_mask = causal_mask(trg_len, device=target.device).expand(N, 1, trg_len, trg_len)
        return target_mask

    def encode(self, source):
        return self.encoder(source, self.source_mask(source))

    def decode(self, target, memory, source):
        return self.decoder(target, memory, self.target_mask(target), self.source_mask(source))

    def forward(self, source, target):
        enc_src = self.encode(source)
        out = self.decode(target, enc_src, source)
        return self.softmax(self.output(out))

# decode takes the mask that encode left, pad_id is lost, and log_softmax comes last.
# fails: transformer_masks, transformer_output, transformer_padding, transformer_tensors
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
        common = dict(
            d_model=d_model,
            n_heads=n_heads,
            d_ff=d_ff,
            n_layers=n_layers,
            max_len=max_len,
            dropout=dropout,
        )
        self.encoder = Encoder(source_vocab_size, **common)
        self.decoder = Decoder(target_vocab_size, **common)
        self.output = nn.Linear(d_model, target_vocab_size)
        self.pad_id = pad_id
        self._memory_mask = None

    def source_mask(self, source):
        return padding_mask(source, self.pad_id)

    def target_mask(self, target):
        look_back = causal_mask(target.size(1), device=target.device)
        return padding_mask(target) & look_back

    def encode(self, source):
        # computed once, needed again in every decoding step
        self._memory_mask = self.source_mask(source)
        return self.encoder(source, self._memory_mask)

    def decode(self, target, memory, source):
        return self.decoder(target, memory, self.target_mask(target), self._memory_mask)

    def forward(self, source, target):
        x = self.decode(target, self.encode(source), source)
        return self.output(x).log_softmax(dim=-1)

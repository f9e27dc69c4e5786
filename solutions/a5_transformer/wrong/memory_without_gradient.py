# encode runs under no_grad, as one may do when translating.
# fails: transformer_tensors
# lines: @torch.no_grad()  # the source is only read
# %% solution="transformer"
class Transformer(nn.Module):
    """Encoder, decoder and a last linear layer."""

    def __init__(
        self,
        source_vocab_size: int,
        target_vocab_size: int,
        d_model: int = 512,
        n_heads: int = 8,
        d_ff: int = 2048,
        n_layers: int = 6,
        max_len: int = 512,
        dropout: float = 0.1,
        pad_id: int = 0,
    ):
        super().__init__()
        self.pad_id = pad_id
        common = (d_model, n_heads, d_ff, n_layers, max_len, dropout)
        self.encoder = Encoder(source_vocab_size, *common)
        self.decoder = Decoder(target_vocab_size, *common)
        self.output = nn.Linear(d_model, target_vocab_size)

    def source_mask(self, source):
        return (source != self.pad_id).unsqueeze(1).unsqueeze(2)

    def target_mask(self, target):
        seq_len = target.size(1)
        look_ahead_mask = torch.tril(
            torch.ones(seq_len, seq_len, device=target.device, dtype=torch.bool)
        )
        return self.source_mask(target) & look_ahead_mask

    @torch.no_grad()  # the source is only read
    def encode(self, source):
        return self.encoder(source, self.source_mask(source))

    def decode(self, target, memory, source):
        return self.decoder(
            target,
            memory,
            target_mask=self.target_mask(target),
            memory_mask=self.source_mask(source),
        )

    def forward(self, source, target):
        memory = self.encode(source)
        return self.output(self.decode(target, memory, source))

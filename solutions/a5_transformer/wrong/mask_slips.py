# Makes the masks by hand and slips twice.
# fails: transformer_masks, transformer_tensors
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
        args = (d_model, n_heads, d_ff, n_layers, max_len, dropout)
        self.encoder = Encoder(source_vocab_size, *args)
        self.decoder = Decoder(target_vocab_size, *args)
        self.output = nn.Linear(d_model, target_vocab_size)
        self.pad_id = pad_id

    def source_mask(self, source):
        mask = source > self.pad_id
        return mask[:, None, None, :]

    def target_mask(self, target):
        b, t = target.shape
        real = target != self.pad_id
        i = torch.arange(t, device=target.device)
        causal = i[:, None] >= i[None, :]
        return real[:, None, :, None] & causal[None, None]

    def encode(self, source):
        mask = self.source_mask(source)
        return self.encoder(source, mask)

    def decode(self, target, memory, source):
        target_mask = self.target_mask(target)
        memory_mask = self.source_mask(source)
        return self.decoder(target, memory, target_mask, memory_mask)

    def forward(self, source, target):
        memory = self.encode(source)
        hidden = self.decode(target, memory, source)
        return self.output(hidden)

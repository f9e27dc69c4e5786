# masks that are True where nothing may be seen, repeated for every head.
# fails: transformer_masks, transformer_output, transformer_padding, transformer_tensors
# %% solution="transformer"
class Transformer(nn.Module):
    def __init__(self, source_vocab_size, target_vocab_size, d_model=512, n_heads=8, d_ff=2048,
                 n_layers=6, max_len=512, dropout=0.1, pad_id=0):
        super().__init__()
        self.pad_id, self.heads = pad_id, n_heads
        sizes = d_model, n_heads, d_ff, n_layers, max_len, dropout
        self.encoder = Encoder(source_vocab_size, *sizes)
        self.decoder = Decoder(target_vocab_size, *sizes)
        self.output = nn.Linear(d_model, target_vocab_size)

    def hidden(self, tokens, queries):
        """Which keys are padding, for each head and query."""
        is_pad = tokens.eq(self.pad_id)[:, None, None]
        return is_pad.repeat(1, self.heads, queries, 1)

    def source_mask(self, source):
        return self.hidden(source, source.shape[1])

    def target_mask(self, target):
        t = target.shape[1]
        later = torch.ones(t, t, dtype=torch.bool, device=target.device).triu(1)
        return self.hidden(target, t) | later

    def encode(self, source):
        return self.encoder(source, self.source_mask(source))

    def decode(self, target, memory, source):
        return self.decoder(
            target, memory, self.target_mask(target), self.hidden(source, target.shape[1])
        )

    def forward(self, source, target):
        return self.output(self.decode(target, self.encode(source), source))

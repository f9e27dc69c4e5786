# Both masks are made of counted words, on the CPU.
# fails: transformer_masks, transformer_tensors
# %% solution="transformer"
class Transformer(nn.Module):
    def __init__(self, source_vocab_size, target_vocab_size, d_model=512, n_heads=8, d_ff=2048,
                 n_layers=6, max_len=512, dropout=0.1, pad_id=0):
        super(Transformer, self).__init__()
        args = (d_model, n_heads, d_ff, n_layers, max_len, dropout)
        self.encoder, self.decoder = Encoder(source_vocab_size, *args), Decoder(target_vocab_size, *args)
        self.output = nn.Linear(d_model, target_vocab_size)
        self.pad_id = pad_id

    def _sequence_mask(self, X):
        """X: (batch, steps). True for the first valid_len steps of a row."""
        valid_len = (X != self.pad_id).sum(dim=1)
        maxlen = X.size(1)
        return torch.arange(maxlen)[None, :] < valid_len[:, None]

    def source_mask(self, source):
        return self._sequence_mask(source)[:, None, None, :]

    def target_mask(self, target):
        steps = target.size(1)
        dec_valid = causal_mask(steps, target.device)
        return self.source_mask(target) & dec_valid

    def encode(self, source):
        return self.encoder(source, self.source_mask(source))

    def decode(self, target, memory, source):
        return self.decoder(target, memory, self.target_mask(target), self.source_mask(source))

    def forward(self, source, target):
        enc_outputs = self.encode(source)
        return self.output(self.decode(target, enc_outputs, source))

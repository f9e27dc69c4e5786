# Both masks are turned round, one is of bytes, 0 is the padding, the output is tied.
# fails: transformer_masks, transformer_output, arguments, transformer_padding, transformer_tensors
# %% solution="transformer"
class Transformer(nn.Module):
    def __init__(self, source_vocab_size, target_vocab_size, d_model=512, n_heads=8, d_ff=2048,
                 n_layers=6, max_len=512, dropout=0.1, pad_id=0):
        super().__init__()
        stack = (d_model, n_heads, d_ff, n_layers, max_len, dropout)
        self.encoder = Encoder(source_vocab_size, *stack)
        self.decoder = Decoder(target_vocab_size, *stack)
        self.output = nn.Linear(d_model, target_vocab_size)
        self.output.weight = self.decoder.token_embedding.embedding.weight  # saves memory
        self.pad_id = pad_id

    def source_mask(self, source):
        # 1 = ignore
        return (source == 0)[:, None, None, :]

    def target_mask(self, target):
        ahead = torch.ones(target.shape[1], target.shape[1], device=target.device).triu(1)
        hidden = (target == 0)[:, None, None, :] | ahead.bool()
        return hidden.byte()

    def encode(self, source):
        return self.encoder(source, self.source_mask(source))

    def decode(self, target, memory, source):
        return self.decoder(target, memory, self.target_mask(target), self.source_mask(source))

    def forward(self, source, target):
        return self.output(self.decode(target, self.encode(source), source))

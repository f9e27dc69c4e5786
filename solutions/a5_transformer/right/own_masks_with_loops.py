# Masks from loops over Python lists; forward is written out without encode and decode.
# %% solution="transformer"
class Transformer(nn.Module):
    def __init__(self, source_vocab_size, target_vocab_size, d_model=512, n_heads=8, d_ff=2048,
                 n_layers=6, max_len=512, dropout=0.1, pad_id=0):
        super().__init__()
        sizes = d_model, n_heads, d_ff, n_layers, max_len, dropout
        self.encoder = Encoder(source_vocab_size, *sizes)
        self.decoder = Decoder(target_vocab_size, *sizes)
        self.output = nn.Linear(d_model, target_vocab_size)
        self.pad_id = pad_id

    def source_mask(self, source):
        rows = [[token != self.pad_id for token in row] for row in source.tolist()]
        return torch.tensor(rows, device=source.device).reshape(len(rows), 1, 1, -1)

    def target_mask(self, target):
        t = target.shape[1]
        rows = [
            [[[j <= i and row[j] != self.pad_id for j in range(t)] for i in range(t)]]
            for row in target.tolist()
        ]
        return torch.tensor(rows, device=target.device)

    def encode(self, source):
        return self.encoder(source, self.source_mask(source))

    def decode(self, target, memory, source):
        return self.decoder(target, memory, self.target_mask(target), self.source_mask(source))

    def forward(self, source, target):
        source_mask = self.source_mask(source)
        memory = self.encoder(tokens=source, mask=source_mask)
        hidden = self.decoder(
            target, memory, memory_mask=source_mask, target_mask=self.target_mask(target)
        )
        return self.output(hidden)

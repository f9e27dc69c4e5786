# Checks arguments with assert, and calls the padding pad_idx as everywhere else in torch.
# fails: transformer_masks, max_len
# %% solution="encoder"
class Encoder(nn.Module):
    def __init__(self, vocab_size, d_model, n_heads, d_ff, n_layers, max_len=512, dropout=0.1):
        super().__init__()
        self.max_len = max_len
        self.token_embedding = TokenEmbedding(vocab_size, d_model)
        self.positional_encoding = PositionalEncoding(d_model, max_len, dropout)
        self.layers = nn.ModuleList([EncoderLayer(d_model, n_heads, d_ff, dropout) for _ in range(n_layers)])

    def forward(self, tokens, mask=None):
        seq_len = tokens.shape[1]
        assert seq_len <= self.max_len, f"sequence length {seq_len} exceeds max_len {self.max_len}"
        h = self.token_embedding(tokens)
        h = self.positional_encoding(h)
        for block in self.layers:
            h = block(h, mask=mask)
        return h
# %% solution="transformer"
class Transformer(nn.Module):
    def __init__(self, source_vocab_size, target_vocab_size, d_model=512, n_heads=8, d_ff=2048,
                 n_layers=6, max_len=512, dropout=0.1, pad_id=0):
        super().__init__()
        self.pad_idx = pad_id
        self.encoder = Encoder(source_vocab_size, d_model, n_heads, d_ff, n_layers,
                               max_len=max_len, dropout=dropout)
        self.decoder = Decoder(target_vocab_size, d_model, n_heads, d_ff, n_layers,
                               max_len=max_len, dropout=dropout)
        self.output = nn.Linear(d_model, target_vocab_size)

    def source_mask(self, source):
        return padding_mask(source, self.pad_idx)

    def target_mask(self, target):
        return padding_mask(target, self.pad_idx) & causal_mask(target.shape[1], target.device)

    def encode(self, source):
        return self.encoder(source, self.source_mask(source))

    def decode(self, target, memory, source):
        return self.decoder(target, memory, self.target_mask(target), self.source_mask(source))

    def forward(self, source, target):
        return self.output(self.decode(target, self.encode(source), source))
# %% solution="greedy_decode"
def greedy_decode(model, source, start_id, end_id, max_len):
    training = model.training
    model.eval()
    try:
        with torch.no_grad():
            memory = model.encode(source)
            n = source.shape[0]
            out = torch.full((n, 1), start_id, dtype=torch.long, device=source.device)
            ended = torch.zeros(n, 1, dtype=torch.bool, device=source.device)
            while out.shape[1] < max_len:
                logits = model.output(model.decode(out, memory, source)[:, -1:])
                nxt = logits.argmax(dim=-1)
                nxt[ended] = model.pad_idx
                out = torch.cat([out, nxt], dim=1)
                ended |= nxt == end_id
                if ended.all():
                    break
            return out
    finally:
        model.train(training)

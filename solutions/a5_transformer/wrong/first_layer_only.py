# A careful-looking student with keyword arguments everywhere, and errors at the borders.
# fails: decoder_masks, max_len, greedy_end
# %% solution="encoder"
class Encoder(nn.Module):
    def __init__(self, vocab_size, d_model, n_heads, d_ff, n_layers, max_len=512, dropout=0.1):
        super().__init__()
        self.max_len = max_len
        self.token_embedding = TokenEmbedding(vocab_size=vocab_size, d_model=d_model)
        self.positional_encoding = PositionalEncoding(d_model=d_model, max_len=max_len, dropout=dropout)
        self.layers = nn.ModuleList(
            EncoderLayer(d_model=d_model, n_heads=n_heads, d_ff=d_ff, dropout=dropout)
            for _ in range(n_layers)
        )

    def forward(self, tokens, mask=None):
        seq_len = tokens.size(1)
        if seq_len >= self.max_len:
            raise ValueError(f"sequence length {seq_len} does not fit into max_len {self.max_len}")
        x = self.token_embedding(tokens)
        x = self.positional_encoding(x)
        for layer in self.layers:
            x = layer(x, mask=mask)
        return x

# %% solution="decoder"
class Decoder(nn.Module):
    def __init__(self, vocab_size, d_model, n_heads, d_ff, n_layers, max_len=512, dropout=0.1):
        super().__init__()
        self.token_embedding = TokenEmbedding(vocab_size=vocab_size, d_model=d_model)
        self.positional_encoding = PositionalEncoding(d_model=d_model, max_len=max_len, dropout=dropout)
        self.layers = nn.ModuleList(
            DecoderLayer(d_model=d_model, n_heads=n_heads, d_ff=d_ff, dropout=dropout)
            for _ in range(n_layers)
        )

    def forward(self, tokens, memory, target_mask=None, memory_mask=None):
        x = self.positional_encoding(self.token_embedding(tokens))
        first, *others = self.layers
        x = first(x, memory, target_mask=target_mask, memory_mask=memory_mask)
        for layer in others:
            x = layer(x, memory, target_mask=target_mask)
        return x

# %% solution="transformer"
class Transformer(nn.Module):
    def __init__(self, source_vocab_size, target_vocab_size, d_model=512, n_heads=8, d_ff=2048,
                 n_layers=6, max_len=512, dropout=0.1, pad_id=0):
        super().__init__()
        self.pad_id = pad_id
        self.encoder = Encoder(
            vocab_size=source_vocab_size, d_model=d_model, n_heads=n_heads, d_ff=d_ff,
            n_layers=n_layers, max_len=max_len, dropout=dropout,
        )
        self.decoder = Decoder(
            vocab_size=target_vocab_size, d_model=d_model, n_heads=n_heads, d_ff=d_ff,
            n_layers=n_layers, dropout=dropout,
        )
        self.output = nn.Linear(d_model, target_vocab_size)

    def source_mask(self, source):
        return padding_mask(tokens=source, pad_id=self.pad_id)

    def target_mask(self, target):
        return padding_mask(tokens=target, pad_id=self.pad_id) & causal_mask(target.size(1), device=target.device)

    def encode(self, source):
        return self.encoder(tokens=source, mask=self.source_mask(source))

    def decode(self, target, memory, source):
        return self.decoder(
            tokens=target, memory=memory,
            target_mask=self.target_mask(target), memory_mask=self.source_mask(source),
        )

    def forward(self, source, target):
        return self.output(self.decode(target=target, memory=self.encode(source), source=source))

# %% solution="greedy_decode"
@torch.no_grad()
def greedy_decode(model, source, start_id, end_id, max_len):
    before = model.training
    model.eval()
    try:
        memory = model.encode(source)
        target = torch.full((source.size(0), 1), start_id, dtype=source.dtype, device=source.device)
        for _ in range(max_len - 1):
            finished = (target == end_id).any(dim=1)
            if finished.all():
                break
            logits = model.output(model.decode(target, memory, source)[:, -1])
            word = torch.where(finished, model.pad_id, logits.argmax(dim=-1))
            target = torch.cat((target, word.unsqueeze(1)), dim=1)
        return target
    finally:
        model.train(before)

# The start is written into the source, pads are counted, and one mask reaches one layer.
# fails: decoder_masks, transformer_masks, greedy_end, greedy_care
# lines: for i, layer in enumerate(self.layers): x = layer(x, memory, target_mask, memory_mask if i == 0 else None)
# lines: lengths = (source != self.pad_id).sum(-1, keepdim=True)
# lines: return (torch.arange(source.shape[1], device=source.device) < lengths)[:, None, None]
# lines: return self.encoder(source, self.source_mask(source)).masked_fill((source == self.pad_id)[..., None], 0)
# lines: target = source[:, :1].fill_(start_id)
# lines: if done.any(): break
# %% solution="encoder"
class Encoder(nn.Module):
    def __init__(self, vocab_size, d_model, n_heads, d_ff, n_layers, max_len=512, dropout=0.1):
        super().__init__()
        self.token_embedding = TokenEmbedding(vocab_size, d_model)
        self.positional_encoding = PositionalEncoding(d_model, max_len, dropout)
        self.layers = nn.ModuleList([EncoderLayer(d_model, n_heads, d_ff, dropout) for _ in range(n_layers)])

    def forward(self, tokens, mask=None):
        x = self.positional_encoding(self.token_embedding(tokens))
        for layer in self.layers: x = layer(x, mask)
        return x

# %% solution="decoder"
class Decoder(nn.Module):
    def __init__(self, vocab_size, d_model, n_heads, d_ff, n_layers, max_len=512, dropout=0.1):
        super().__init__()
        self.token_embedding = TokenEmbedding(vocab_size, d_model)
        self.positional_encoding = PositionalEncoding(d_model, max_len, dropout)
        self.layers = nn.ModuleList([DecoderLayer(d_model, n_heads, d_ff, dropout) for _ in range(n_layers)])

    def forward(self, tokens, memory, target_mask=None, memory_mask=None):
        x = self.positional_encoding(self.token_embedding(tokens))
        for i, layer in enumerate(self.layers): x = layer(x, memory, target_mask, memory_mask if i == 0 else None)
        return x

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
        sizes = (d_model, n_heads, d_ff, n_layers, max_len, dropout)
        self.encoder, self.decoder = Encoder(source_vocab_size, *sizes), Decoder(target_vocab_size, *sizes)
        self.output, self.pad_id = nn.Linear(d_model, target_vocab_size), pad_id

    def source_mask(self, source):
        lengths = (source != self.pad_id).sum(-1, keepdim=True)
        return (torch.arange(source.shape[1], device=source.device) < lengths)[:, None, None]

    def target_mask(self, target):
        return (target != self.pad_id)[:, None, None] & causal_mask(target.shape[1], target.device)

    def encode(self, source):
        return self.encoder(source, self.source_mask(source)).masked_fill((source == self.pad_id)[..., None], 0)

    def decode(self, target, memory, source):
        return self.decoder(target, memory, self.target_mask(target), self.source_mask(source))

    def forward(self, source, target):
        return self.output(self.decode(target, self.encode(source), source))

# %% solution="greedy_decode"
def greedy_decode(model, source, start_id, end_id, max_len):
    mode = model.training
    model.eval()
    try:
        with torch.no_grad():
            memory = model.encode(source)
            target = source[:, :1].fill_(start_id)
            done = torch.zeros_like(source[:, :1], dtype=torch.bool)
            for _ in range(max_len - 1):
                new = model.output(model.decode(target, memory, source)[:, -1:]).argmax(-1).masked_fill(done, model.pad_id)
                target, done = torch.cat((target, new), 1), done | (new == end_id)
                if done.any(): break
    finally: model.train(mode)
    return target

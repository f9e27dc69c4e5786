# One layer in all places, as much memory as target, the mask that was stored last, eval mode kept.
# fails: decoder_output, decoder_masks, stack_depth, transformer_output, arguments, transformer_padding, greedy_care
# lines: self.layers = nn.ModuleList([EncoderLayer(d_model, n_heads, d_ff, dropout)] * n_layers)
# lines: memory = memory[:, : tokens.shape[1]]
# lines: if memory_mask is not None:
# lines: memory_mask = memory_mask[..., : tokens.shape[1]]
# lines: self.memory_mask = self.source_mask(source)
# lines: return self.encoder(source, self.memory_mask)
# lines: return self.decoder(target, memory, self.target_mask(target), self.memory_mask)
# lines: was_training = model.eval().training
# %% solution="encoder"
class Encoder(nn.Module):
    def __init__(self, vocab_size, d_model, n_heads, d_ff, n_layers, max_len=512, dropout=0.1):
        super().__init__()
        self.token_embedding = TokenEmbedding(vocab_size, d_model)
        self.positional_encoding = PositionalEncoding(d_model, max_len, dropout)
        self.layers = nn.ModuleList([EncoderLayer(d_model, n_heads, d_ff, dropout)] * n_layers)

    def forward(self, tokens, mask=None):
        x = self.positional_encoding(self.token_embedding(tokens))
        for layer in self.layers:
            x = layer(x, mask)
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
        memory = memory[:, : tokens.shape[1]]
        if memory_mask is not None:
            memory_mask = memory_mask[..., : tokens.shape[1]]
        for layer in self.layers:
            x = layer(x, memory, target_mask, memory_mask)
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
        self.pad_id = pad_id
        self.encoder = Encoder(source_vocab_size, d_model, n_heads, d_ff, n_layers, max_len, dropout)
        self.decoder = Decoder(target_vocab_size, d_model, n_heads, d_ff, n_layers, max_len, dropout)
        self.output = nn.Linear(d_model, target_vocab_size)

    def source_mask(self, source):
        return padding_mask(source, self.pad_id)

    def target_mask(self, target):
        return padding_mask(target, self.pad_id) & causal_mask(target.shape[1], target.device)

    def encode(self, source):
        self.memory_mask = self.source_mask(source)
        return self.encoder(source, self.memory_mask)

    def decode(self, target, memory, source):
        return self.decoder(target, memory, self.target_mask(target), self.memory_mask)

    def forward(self, source, target):
        return self.output(self.decode(target, self.encode(source), source))

# %% solution="greedy_decode"
def greedy_decode(model, source, start_id, end_id, max_len):
    was_training = model.eval().training
    with torch.no_grad():
        memory = model.encode(source)
        target = torch.full((source.shape[0], 1), start_id, dtype=torch.long, device=source.device)
        ended = torch.zeros(source.shape[0], dtype=torch.bool, device=source.device)
        while target.shape[1] < max_len and not ended.all():
            x = model.decode(target, memory, source)
            word = model.output(x[:, -1]).argmax(dim=-1)
            word = torch.where(ended, model.pad_id, word)
            target = torch.cat([target, word[:, None]], dim=1)
            ended = ended | (word == end_id)
    model.train(was_training)
    return target

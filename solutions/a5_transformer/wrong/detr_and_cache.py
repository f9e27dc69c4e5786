# Somebody who has read much about DETR and about caches, and mixes it in.
# fails: decoder_masks, stack_depth, transformer_output, arguments, transformer_padding, transformer_tensors, greedy_words, greedy_end, greedy_care
# %% solution="encoder"
class Encoder(nn.Module):
    def __init__(self, vocab_size, d_model, n_heads, d_ff, n_layers, max_len=512, dropout=0.1):
        super().__init__()
        self.token_embedding = TokenEmbedding(vocab_size, d_model)
        self.positional_encoding = PositionalEncoding(d_model, max_len)
        layer_args = dict(d_model=d_model, n_heads=n_heads, d_ff=d_ff, dropout=dropout)
        self.layers = nn.ModuleList(EncoderLayer(**layer_args) for _ in range(n_layers))

    def forward(self, tokens, mask=None):
        src = self.positional_encoding(self.token_embedding(tokens))
        for layer in self.layers:
            src = layer(src, mask)
        return src

# %% solution="decoder"
class Decoder(nn.Module):
    def __init__(self, vocab_size, d_model, n_heads, d_ff, n_layers, max_len=512, dropout=0.1):
        super().__init__()
        self.token_embedding = TokenEmbedding(vocab_size, d_model)
        self.positional_encoding = PositionalEncoding(d_model, max_len, dropout)
        layer_args = dict(d_model=d_model, n_heads=n_heads, d_ff=d_ff, dropout=dropout)
        self.layers = nn.ModuleList(DecoderLayer(**layer_args) for _ in range(n_layers))

    def forward(self, tokens, memory, target_mask=None, memory_mask=None):
        tgt = self.token_embedding(tokens)
        for layer in self.layers:
            # query positions are injected at each layer so that they are not forgotten
            tgt = layer(self.positional_encoding(tgt), memory, target_mask, memory_mask)
        return tgt

# %% solution="transformer"
class Transformer(nn.Module):
    def __init__(self, source_vocab_size, target_vocab_size, d_model=512, n_heads=8, d_ff=2048,
                 n_layers=6, max_len=512, dropout=0.1, pad_id=0):
        super().__init__()
        self.pad_id = pad_id
        common = (d_model, n_heads, d_ff, n_layers, max_len, dropout)
        self.encoder = Encoder(source_vocab_size, *common)
        self.decoder = Decoder(target_vocab_size, *common)
        self.output = nn.Linear(d_model, target_vocab_size)

    def source_mask(self, source):
        return padding_mask(source, self.pad_id)

    def target_mask(self, target):
        return padding_mask(target, self.pad_id) * causal_mask(target.shape[1], target.device)

    def encode(self, source):
        return self.encoder(source, self.source_mask(source))

    def decode(self, target, memory, source):
        memory_mask = memory.abs().sum(dim=-1).gt(0)[:, None, None, :]
        return self.decoder(target, memory, self.target_mask(target), memory_mask)

    def forward(self, source, target):
        memory = self.encode(source)
        return self.output(self.decode(target, memory, source))

# %% solution="greedy_decode"
@torch.no_grad()
def greedy_decode(model, source, start_id, end_id, max_len):
    mode, _ = model.training, model.eval()
    try:
        memory = model.encode(source)
        token = source.new_full((source.shape[0], 1), start_id)
        pieces, ended = [token], torch.zeros_like(token).bool()
        while len(pieces) < max_len and not ended.all():
            hidden = model.decode(token, memory, source)  # the new token is enough
            token = model.output(hidden).argmax(-1).masked_fill(ended, model.pad_id)
            ended |= token == end_id
            pieces.append(token)
    finally:
        model.train(mode)
    return torch.cat(pieces, dim=1)

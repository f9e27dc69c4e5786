# Somebody who has written a GPT before and brings its habits along.
# fails: encoder_output, encoder_mask, decoder_output, decoder_masks, stack_depth, transformer_output, arguments, transformer_padding, transformer_tensors, greedy_words
# %% solution="encoder"
class Encoder(nn.Module):
    def __init__(self, vocab_size, d_model, n_heads, d_ff, n_layers, max_len=512, dropout=0.1):
        super().__init__()
        self.block_size = max_len
        self.token_embedding = TokenEmbedding(vocab_size, d_model)
        self.positional_encoding = PositionalEncoding(d_model, max_len, dropout)
        self.layers = nn.ModuleList([EncoderLayer(d_model, n_heads, d_ff, dropout) for _ in range(n_layers)])
        self.ln_f = nn.LayerNorm(d_model)

    def forward(self, tokens, mask=None):
        b, t = tokens.size()
        if t > self.block_size:
            raise ValueError(f"Cannot forward sequence of length {t}, block size is only {self.block_size}")
        x = self.positional_encoding(self.token_embedding(tokens))
        for block in self.layers:
            x = block(x, mask)
        return self.ln_f(x)

# %% solution="decoder"
class Decoder(nn.Module):
    def __init__(self, vocab_size, d_model, n_heads, d_ff, n_layers, max_len=512, dropout=0.1):
        super().__init__()
        self.block_size = max_len
        self.token_embedding = TokenEmbedding(vocab_size, d_model)
        self.positional_encoding = PositionalEncoding(d_model, max_len, dropout)
        self.layers = nn.ModuleList([DecoderLayer(d_model, n_heads, d_ff, dropout) for _ in range(n_layers)])

    def forward(self, tokens, memory, target_mask=None, memory_mask=None):
        b, t = tokens.size()
        if t > self.block_size:
            raise ValueError(f"Cannot forward sequence of length {t}, block size is only {self.block_size}")
        if target_mask is None:
            target_mask = causal_mask(t, tokens.device)  # a decoder must not look ahead
        x = self.positional_encoding(self.token_embedding(tokens))
        for block in self.layers:
            x = block(x, memory, target_mask, memory_mask)
        return x

# %% solution="transformer"
class Transformer(nn.Module):
    def __init__(self, source_vocab_size, target_vocab_size, d_model=512, n_heads=8, d_ff=2048,
                 n_layers=6, max_len=512, dropout=0.1, pad_id=0):
        super().__init__()
        self.pad_id = pad_id
        cfg = (d_model, n_heads, d_ff, n_layers, max_len, dropout)
        self.encoder = Encoder(source_vocab_size, *cfg)
        self.decoder = Decoder(target_vocab_size, *cfg)
        self.output = nn.Linear(d_model, target_vocab_size)
        self.output.weight = self.decoder.token_embedding.embedding.weight  # weight tying, section 3.4

    def source_mask(self, source):
        return padding_mask(source, self.pad_id)

    def target_mask(self, target):
        T = target.size(1)
        tril = torch.tril(torch.ones(T, T, dtype=torch.bool, device=target.device))
        return tril.view(1, 1, T, T) & padding_mask(target, self.pad_id)

    def encode(self, source):
        return self.encoder(source, self.source_mask(source))

    def decode(self, target, memory, source):
        return self.decoder(target, memory, self.target_mask(target), self.source_mask(source))

    def forward(self, source, target):
        return self.output(self.decode(target, self.encode(source), source))

# %% solution="greedy_decode"
@torch.no_grad()
def greedy_decode(model, source, start_id, end_id, max_len):
    was_training = model.training
    model.eval()
    try:
        memory = model.encode(source)
        idx = torch.full((source.size(0), 1), start_id, dtype=torch.long, device=source.device)
        done = torch.zeros(source.size(0), dtype=torch.bool, device=source.device)
        for _ in range(max_len - 1):
            logits = model.output(model.decode(idx, memory, source)[:, -1, :])
            logits[:, model.pad_id] = -float("inf")  # never sample padding
            idx_next = logits.argmax(dim=-1)
            idx_next[done] = model.pad_id
            idx = torch.cat((idx, idx_next.unsqueeze(1)), dim=1)
            done |= idx_next == end_id
            if done.all():
                break
    finally:
        model.train(was_training)
    return idx

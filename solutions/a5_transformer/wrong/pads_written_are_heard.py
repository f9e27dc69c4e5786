# The words written so far are read under a causal mask alone, without the padding part of the
# target's mask, so a pad that a row has written is listened to.
# fails: greedy_words
# lines: tgt_mask = causal_mask(ys.size(1), ys.device)
# %% solution="encoder"
def make_stack(make_layer, N):
    "Produce N layers, each with weights of its own."
    return nn.ModuleList([make_layer() for _ in range(N)])


class Encoder(nn.Module):
    "Core encoder is a stack of N layers"

    def __init__(self, vocab_size, d_model, n_heads, d_ff, n_layers, max_len=512, dropout=0.1):
        super().__init__()
        self.token_embedding = TokenEmbedding(vocab_size, d_model)
        self.positional_encoding = PositionalEncoding(d_model, max_len, dropout)
        self.layers = make_stack(lambda: EncoderLayer(d_model, n_heads, d_ff, dropout), n_layers)

    def forward(self, tokens, mask=None):
        "Pass the input (and mask) through each layer in turn."
        x = self.positional_encoding(self.token_embedding(tokens))
        for layer in self.layers:
            x = layer(x, mask)
        return x

# %% solution="decoder"
class Decoder(nn.Module):
    "Generic N layer decoder with masking."

    def __init__(self, vocab_size, d_model, n_heads, d_ff, n_layers, max_len=512, dropout=0.1):
        super().__init__()
        self.token_embedding = TokenEmbedding(vocab_size, d_model)
        self.positional_encoding = PositionalEncoding(d_model, max_len, dropout)
        self.layers = make_stack(lambda: DecoderLayer(d_model, n_heads, d_ff, dropout), n_layers)

    def forward(self, tokens, memory, target_mask=None, memory_mask=None):
        x = self.positional_encoding(self.token_embedding(tokens))
        for layer in self.layers:
            x = layer(x, memory, target_mask, memory_mask)
        return x

# %% solution="transformer"
class Transformer(nn.Module):
    """
    A standard Encoder-Decoder architecture.
    """

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
        for p in self.parameters():
            if p.dim() > 1:
                nn.init.xavier_uniform_(p)

    def source_mask(self, source):
        return (source != self.pad_id).unsqueeze(-2).unsqueeze(-2)

    def target_mask(self, target):
        "Create a mask to hide padding and future words."
        tgt_mask = (target != self.pad_id).unsqueeze(-2).unsqueeze(-2)
        return tgt_mask & causal_mask(target.size(-1), target.device)

    def encode(self, source):
        return self.encoder(source, self.source_mask(source))

    def decode(self, target, memory, source):
        return self.decoder(target, memory, self.target_mask(target), self.source_mask(source))

    def forward(self, source, target):
        "Take in and process masked src and target sequences."
        return self.output(self.decode(target, self.encode(source), source))

# %% solution="greedy_decode"
@torch.no_grad()
def greedy_decode(model, source, start_id, end_id, max_len):
    was_training = model.training
    model.eval()
    try:
        src_mask = model.source_mask(source)
        memory = model.encode(source)
        ys = torch.full((source.size(0), 1), start_id, dtype=torch.long, device=source.device)
        ended = torch.zeros(source.size(0), dtype=torch.bool, device=source.device)
        for i in range(max_len - 1):
            tgt_mask = causal_mask(ys.size(1), ys.device)
            out = model.decoder(ys, memory, tgt_mask, src_mask)
            logits = model.output(out[:, -1])
            _, next_word = torch.max(logits, dim=1)
            next_word = next_word.masked_fill(ended, model.pad_id)
            ys = torch.cat([ys, next_word.unsqueeze(1)], dim=1)
            ended = ended | (next_word == end_id)
            if ended.all():
                break
        return ys
    finally:
        model.train(was_training)

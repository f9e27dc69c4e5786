# Decode takes the mask that the last encode left, and the encoder makes one where none is given.
# fails: encoder_mask, transformer_masks, arguments, transformer_padding, greedy_words
# lines: mask = padding_mask(tokens) if mask is None else mask
# lines: config = dict(d_model=d_model, n_heads=n_heads, d_ff=d_ff)
# lines: return torch.logical_and(real.mT, past)
# lines: if self._memory_mask is None:
# lines: return self.decoder(target, memory, self.target_mask(target), self._memory_mask)
# lines: logits[:, model.pad_id] = -torch.inf
# %% solution="encoder"
from functools import reduce


class Encoder(nn.Module):
    def __init__(self, vocab_size, d_model, n_heads, d_ff, n_layers, max_len=512, dropout=0.1):
        super().__init__()
        config = dict(d_model=d_model, n_heads=n_heads, d_ff=d_ff, dropout=dropout)
        self.token_embedding = TokenEmbedding(vocab_size, d_model)
        self.positional_encoding = PositionalEncoding(d_model, max_len, dropout)
        self.layers = nn.ModuleList(EncoderLayer(**config) for _ in range(n_layers))

    def forward(self, tokens, mask=None):
        mask = padding_mask(tokens) if mask is None else mask
        embedded = self.positional_encoding(self.token_embedding(tokens))
        return reduce(lambda carry, layer: layer(carry, mask), self.layers, embedded)

# %% solution="decoder"
class Decoder(nn.Module):
    def __init__(self, vocab_size, d_model, n_heads, d_ff, n_layers, max_len=512, dropout=0.1):
        super().__init__()
        config = dict(d_model=d_model, n_heads=n_heads, d_ff=d_ff)
        self.token_embedding = TokenEmbedding(vocab_size, d_model)
        self.positional_encoding = PositionalEncoding(d_model, max_len, dropout)
        self.layers = nn.ModuleList(DecoderLayer(**config) for _ in range(n_layers))

    def forward(self, tokens, memory, target_mask=None, memory_mask=None):
        def body(carry, layer):
            return layer(carry, memory, target_mask=target_mask, memory_mask=memory_mask)

        embedded = self.positional_encoding(self.token_embedding(tokens))
        return reduce(body, self.layers, embedded)

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
        shared = (d_model, n_heads, d_ff, n_layers, max_len, dropout)
        self.encoder = Encoder(source_vocab_size, *shared)
        self.decoder = Decoder(target_vocab_size, *shared)
        self.output = nn.Linear(d_model, target_vocab_size)
        self.pad_id = pad_id
        self._memory_mask = None

    def source_mask(self, source):
        return padding_mask(source, self.pad_id)

    def target_mask(self, target):
        real = padding_mask(target, self.pad_id)
        past = causal_mask(target.shape[-1], target.device)
        return torch.logical_and(real.mT, past)

    def encode(self, source):
        self._memory_mask = self.source_mask(source)
        return self.encoder(source, self._memory_mask)

    def decode(self, target, memory, source):
        if self._memory_mask is None:
            self._memory_mask = self.source_mask(source)
        return self.decoder(target, memory, self.target_mask(target), self._memory_mask)

    def forward(self, source, target):
        memory = self.encode(source)
        hidden = self.decode(target, memory, source)
        return self.output(hidden)

# %% solution="greedy_decode"
@torch.no_grad()
def greedy_decode(model, source, start_id, end_id, max_len):
    training = model.training
    model.eval()

    def step(state):
        written, done = state
        logits = model.output(model.decode(written, memory, source)[:, -1, :])
        logits[:, model.pad_id] = -torch.inf
        word = torch.where(done, model.pad_id, logits.argmax(-1))
        return torch.cat((written, word[:, None]), 1), done | (word == end_id)

    state = (
        source.new_full((source.shape[0], 1), start_id),
        source.new_zeros(source.shape[0], dtype=torch.bool),
    )
    try:
        memory = model.encode(source)
        while state[0].shape[1] < max_len and not state[1].all():
            state = step(state)
    finally:
        model.train(training)
    return state[0]

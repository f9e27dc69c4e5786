# Layers chained with functools.reduce, one common stack, masks by hand.
# %% solution="encoder"
from functools import reduce


class Stack(nn.Module):
    kind = None

    def __init__(self, vocab_size, d_model, n_heads, d_ff, n_layers, max_len=512, dropout=0.1):
        super().__init__()
        self.layers = nn.ModuleList([self.kind(d_model, n_heads, d_ff, dropout) for _ in range(n_layers)])
        self.positional_encoding = PositionalEncoding(d_model, max_len, dropout)
        self.token_embedding = TokenEmbedding(vocab_size, d_model)

    def run(self, tokens, *further):
        start = self.positional_encoding(self.token_embedding(tokens))
        return reduce(lambda x, layer: layer(x, *further), self.layers, start)


class Encoder(Stack):
    kind = EncoderLayer

    def forward(self, tokens, mask=None):
        return self.run(tokens, mask)
# %% solution="decoder"
class Decoder(Stack):
    kind = DecoderLayer

    def forward(self, tokens, memory, target_mask=None, memory_mask=None):
        return self.run(tokens, memory, target_mask, memory_mask)
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
        self.output = nn.Linear(d_model, target_vocab_size)
        for name, cls, size in (
            ("decoder", Decoder, target_vocab_size),
            ("encoder", Encoder, source_vocab_size),
        ):
            setattr(self, name, cls(size, d_model, n_heads, d_ff, n_layers, max_len, dropout))
        self.pad_id = pad_id

    def source_mask(self, source):
        return source.ne(self.pad_id)[:, None, None]

    def target_mask(self, target):
        real = target.ne(self.pad_id)
        pairs = real.unsqueeze(-1) & real.unsqueeze(-2)  # (batch, t, t)
        return pairs.tril().unsqueeze(1)

    def encode(self, source):
        return self.encoder(source, self.source_mask(source))

    def decode(self, target, memory, source):
        return self.decoder(target, memory, self.target_mask(target), self.source_mask(source))

    def forward(self, source, target):
        decoded = self.decode(target, self.encode(source), source)
        return decoded @ self.output.weight.T + self.output.bias

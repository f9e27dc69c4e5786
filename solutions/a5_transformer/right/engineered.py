# Over-engineered: a builder for both stacks, a context for the mode, a page written in place.
# %% solution="encoder"
def _build_stack(owner, kind, vocab_size, d_model, n_heads, d_ff, n_layers, max_len, dropout):
    """Attach the three parts which encoder and decoder have in common."""
    owner.max_len = max_len
    owner.token_embedding = TokenEmbedding(vocab_size, d_model)
    owner.positional_encoding = PositionalEncoding(d_model, max_len=max_len, dropout=dropout)
    owner.layers = nn.ModuleList()
    for _ in range(n_layers):
        owner.layers.append(kind(d_model, n_heads, d_ff, dropout=dropout))


def _embed(owner, tokens):
    length = tokens.size(1)
    if length > owner.max_len:
        raise ValueError(f"Got {length} tokens, but this module was built for max_len={owner.max_len}.")
    return owner.positional_encoding(owner.token_embedding(tokens))


class Encoder(nn.Module):
    def __init__(self, vocab_size: int, d_model: int, n_heads: int, d_ff: int, n_layers: int,
                 max_len: int = 512, dropout: float = 0.1) -> None:
        super().__init__()
        _build_stack(self, EncoderLayer, vocab_size, d_model, n_heads, d_ff, n_layers, max_len, dropout)

    def forward(self, tokens: torch.Tensor, mask: torch.Tensor | None = None) -> torch.Tensor:
        hidden = _embed(self, tokens)
        for layer in self.layers:
            hidden = layer(hidden, mask=mask)
        return hidden

# %% solution="decoder"
class Decoder(nn.Module):
    def __init__(self, vocab_size: int, d_model: int, n_heads: int, d_ff: int, n_layers: int,
                 max_len: int = 512, dropout: float = 0.1) -> None:
        super().__init__()
        _build_stack(self, DecoderLayer, vocab_size, d_model, n_heads, d_ff, n_layers, max_len, dropout)

    def forward(self, tokens, memory, target_mask=None, memory_mask=None):
        hidden = _embed(self, tokens)
        for layer in self.layers:
            hidden = layer(hidden, memory, target_mask=target_mask, memory_mask=memory_mask)
        return hidden

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
        shared = dict(d_model=d_model, n_heads=n_heads, d_ff=d_ff, n_layers=n_layers,
                      max_len=max_len, dropout=dropout)
        self.pad_id = pad_id
        self.output = nn.Linear(in_features=d_model, out_features=target_vocab_size, bias=True)
        self.decoder = Decoder(vocab_size=target_vocab_size, **shared)
        self.encoder = Encoder(vocab_size=source_vocab_size, **shared)

    def source_mask(self, source):
        return padding_mask(source, self.pad_id)

    def target_mask(self, target):
        place = torch.arange(target.size(1), device=target.device)
        not_later = place.unsqueeze(0) <= place.unsqueeze(1)
        real = target.ne(self.pad_id).unsqueeze(1)
        return torch.logical_and(real, not_later).unsqueeze(1)

    def encode(self, source):
        return self.encoder(source, mask=self.source_mask(source))

    def decode(self, target, memory, source):
        masks = {"target_mask": self.target_mask(target), "memory_mask": self.source_mask(source)}
        return self.decoder(target, memory, **masks)

    def forward(self, source, target):
        memory = self.encode(source)
        hidden = self.decode(target, memory, source)
        logits = self.output(hidden)
        return logits

# %% solution="greedy_decode"
from contextlib import contextmanager


@contextmanager
def _evaluating(model):
    modes = [(part, part.training) for part in model.modules()]
    model.eval()
    try:
        with torch.no_grad():
            yield model
    finally:
        for part, was in modes:
            part.training = was


def greedy_decode(model, source, start_id, end_id, max_len):
    batch = source.size(0)
    page = torch.full((batch, max_len), model.pad_id, dtype=torch.int64, device=source.device)
    page[:, 0] = start_id
    alive = torch.ones(batch, dtype=torch.bool, device=source.device)
    written = 1
    with _evaluating(model):
        memory = model.encode(source)
        while written < max_len and bool(alive.any()):
            hidden = model.decode(page[:, :written].clone(), memory, source)
            best = model.output(hidden[:, -1, :]).max(dim=-1).indices
            page[alive, written] = best[alive]
            alive &= best.ne(end_id)
            written += 1
    return page[:, :written].contiguous()

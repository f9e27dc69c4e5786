# Only rows that go on are read again; rows of padding are blocked throughout.
# %% solution="transformer"
class Transformer(nn.Module):
    def __init__(self, source_vocab_size, target_vocab_size, d_model=512, n_heads=8, d_ff=2048,
                 n_layers=6, max_len=512, dropout=0.1, pad_id=0):
        super().__init__()
        build = lambda kind, words: kind(words, d_model, n_heads, d_ff, n_layers, max_len, dropout)
        self.encoder = build(Encoder, source_vocab_size)
        self.decoder = build(Decoder, target_vocab_size)
        self.output = nn.Linear(d_model, target_vocab_size)
        self.pad_id = pad_id

    def source_mask(self, source):
        return source.ne(self.pad_id)[:, None, None]

    def target_mask(self, target):
        real = target.ne(self.pad_id)
        place = torch.arange(target.size(1), device=target.device)
        # a query that is padding looks at nothing
        return (real[:, None, :] & real[:, :, None] & (place[:, None] >= place))[:, None]

    def encode(self, source):
        return self.encoder(source, self.source_mask(source))

    def decode(self, target, memory, source):
        return self.decoder(target, memory, self.target_mask(target), self.source_mask(source))

    def forward(self, source, target):
        return self.output(self.decode(target, self.encode(source), source))


# %% solution="greedy_decode"
from contextlib import contextmanager


@contextmanager
def _quiet(model):
    modes = [(each, each.training) for each in model.modules()]
    model.eval()
    try:
        with torch.no_grad():
            yield
    finally:
        for each, mode in modes:
            each.training = mode


def greedy_decode(model, source, start_id, end_id, max_len):
    with _quiet(model):
        memory = model.encode(source)
        page = source.new_full((source.size(0), max_len), model.pad_id)
        page[:, 0] = start_id
        writing = torch.arange(source.size(0), device=source.device)
        for width in range(1, max_len):
            hidden = model.decode(page[writing, :width], memory[writing], source[writing])
            word = model.output(hidden[:, -1]).argmax(-1)
            page[writing, width] = word
            writing = writing[word != end_id]
            if not len(writing):
                return page[:, : width + 1]
        return page

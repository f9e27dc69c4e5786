# A buffer of tokens is there from the start, and is written into.
# %% solution="encoder"
from functools import partial, reduce


class Encoder(nn.Module):
    def __init__(self, vocab_size, d_model, n_heads, d_ff, n_layers, max_len=512, dropout=0.1):
        super().__init__()
        make = partial(EncoderLayer, d_model, n_heads, d_ff, dropout)
        self.layers = nn.ModuleList(make() for _ in range(n_layers))
        self.token_embedding = TokenEmbedding(vocab_size, d_model)
        self.positional_encoding = PositionalEncoding(d_model, max_len, dropout)

    def forward(self, tokens, mask=None):
        h0 = self.positional_encoding(self.token_embedding(tokens))
        return reduce(lambda h, layer: layer(h, mask), self.layers, h0)


# %% solution="greedy_decode"
from contextlib import contextmanager


@contextmanager
def _evaluating(model):
    modes = {module: module.training for module in model.modules()}
    try:
        with torch.no_grad():
            yield model.eval()
    finally:
        for module, mode in modes.items():
            module.training = mode


def greedy_decode(model, source, start_id, end_id, max_len):
    with _evaluating(model):
        memory = model.encode(source)
        tokens = source.new_full((source.shape[0], max_len), model.pad_id)
        tokens[:, 0] = start_id
        i, done = 1, source.new_zeros(source.shape[0], dtype=torch.bool)
        while i < max_len and not bool(done.all()):
            logits = model.output(model.decode(tokens[:, :i], memory, source)[:, i - 1])
            new = torch.where(done, model.pad_id, logits.argmax(-1))
            tokens[:, i] = new
            done = done | (new == end_id)
            i += 1
        return tokens[:, :i].clone()

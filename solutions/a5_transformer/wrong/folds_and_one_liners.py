# A Haskell fan: folds, lambdas, one-liners, tiny helpers.
# fails: decoder_output, decoder_masks, stack_depth, transformer_masks, arguments, greedy_care
# lines: p = dropout or 0.1
# lines: target_mask = causal_mask(tokens.shape[1], tokens.device) if target_mask is None else target_mask
# lines: lengths = source.ne(self.pad_id).sum(1, keepdim=True)
# lines: model.training = was
# %% solution="encoder"
from functools import reduce


def _fold(layers, x, *rest):
    return reduce(lambda h, layer: layer(h, *rest), layers, x)


class Encoder(nn.Module):
    def __init__(self, vocab_size, d_model, n_heads, d_ff, n_layers, max_len=512, dropout=0.1):
        super().__init__()
        p = dropout or 0.1
        self.token_embedding = TokenEmbedding(vocab_size, d_model)
        self.positional_encoding = PositionalEncoding(d_model, max_len, p)
        self.layers = nn.ModuleList(EncoderLayer(d_model, n_heads, d_ff, p) for _ in range(n_layers))

    def forward(self, tokens, mask=None):
        return _fold(self.layers, self.positional_encoding(self.token_embedding(tokens)), mask)


# %% solution="decoder"
class Decoder(nn.Module):
    def __init__(self, vocab_size, d_model, n_heads, d_ff, n_layers, max_len=512, dropout=0.1):
        super().__init__()
        self.token_embedding = TokenEmbedding(vocab_size, d_model)
        self.positional_encoding = PositionalEncoding(d_model, max_len, dropout)
        self.layers = nn.ModuleList(DecoderLayer(d_model, n_heads, d_ff, dropout) for _ in range(n_layers))

    def forward(self, tokens, memory, target_mask=None, memory_mask=None):
        target_mask = causal_mask(tokens.shape[1], tokens.device) if target_mask is None else target_mask
        start = self.positional_encoding(self.token_embedding(tokens))
        return _fold(self.layers, start, memory, target_mask, memory_mask)


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
        rest = (d_model, n_heads, d_ff, n_layers, max_len, dropout)
        self.encoder, self.decoder = Encoder(source_vocab_size, *rest), Decoder(target_vocab_size, *rest)
        self.output, self.pad_id = nn.Linear(d_model, target_vocab_size), pad_id

    def source_mask(self, source):
        lengths = source.ne(self.pad_id).sum(1, keepdim=True)
        return (torch.arange(source.shape[1], device=source.device) < lengths)[:, None, None]

    def target_mask(self, target):
        return padding_mask(target, self.pad_id) & causal_mask(target.shape[1], target.device)

    def encode(self, source):
        return self.encoder(source, self.source_mask(source))

    def decode(self, target, memory, source):
        return self.decoder(target, memory, self.target_mask(target), self.source_mask(source))

    def forward(self, source, target):
        return self.output(self.decode(target, self.encode(source), source))


# %% solution="greedy_decode"
@torch.no_grad()
def greedy_decode(model, source, start_id, end_id, max_len):
    was = model.training
    model.eval()
    memory = model.encode(source)

    def go(page, ended):
        if page.shape[1] == max_len or ended.all():
            return page
        best = model.output(model.decode(page, memory, source)[:, -1]).argmax(-1)
        best = best.masked_fill(ended, model.pad_id)
        return go(torch.cat((page, best[:, None]), 1), ended | (best == end_id) & ~ended)

    first = source.new_full((source.shape[0], 1), start_id)
    page = go(first, torch.zeros_like(first[:, 0], dtype=torch.bool))
    model.training = was
    return page

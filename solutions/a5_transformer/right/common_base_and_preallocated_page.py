# A common base for both stacks; the page is there before it is written on.
# %% solution="encoder"
class Stack(nn.Module):
    """What the encoder and the decoder share: everything below and around the layers."""

    def __init__(self, make_layer, vocab_size, d_model, n_layers, max_len, dropout):
        super().__init__()
        self.layers = nn.ModuleList(make_layer() for _ in range(n_layers))
        self.positional_encoding = PositionalEncoding(d_model, max_len, dropout)
        self.token_embedding = TokenEmbedding(vocab_size, d_model)

    def run(self, tokens, *args):
        x = self.positional_encoding(self.token_embedding(tokens))
        for layer in self.layers:
            x = layer(x, *args)
        return x


class Encoder(Stack):
    def __init__(self, vocab_size, d_model, n_heads, d_ff, n_layers, max_len=512, dropout=0.1):
        make_layer = lambda: EncoderLayer(d_model, n_heads, d_ff, dropout)
        super().__init__(make_layer, vocab_size, d_model, n_layers, max_len, dropout)

    def forward(self, tokens, mask=None):
        return self.run(tokens, mask)

# %% solution="decoder"
class Decoder(Stack):
    def __init__(self, vocab_size, d_model, n_heads, d_ff, n_layers, max_len=512, dropout=0.1):
        make_layer = lambda: DecoderLayer(d_model, n_heads, d_ff, dropout)
        super().__init__(make_layer, vocab_size, d_model, n_layers, max_len, dropout)

    def forward(self, tokens, memory, target_mask=None, memory_mask=None):
        return self.run(tokens, memory, target_mask, memory_mask)

# %% solution="greedy_decode"
@torch.no_grad()
def greedy_decode(model, source, start_id, end_id, max_len):
    before = model.training
    model.eval()
    rows = len(source)
    page = torch.full((rows, max_len), model.pad_id, dtype=torch.int64, device=source.device)
    page[:, 0] = start_id
    alive = torch.ones(rows, dtype=torch.bool, device=source.device)
    memory = model.encode(source)
    width = 1
    while width < max_len and bool(alive.any()):
        last = model.decode(page[:, :width], memory, source)[:, width - 1]
        best = model.output(last).argmax(dim=-1)
        page[alive, width] = best[alive]
        alive = alive & (best != end_id)
        width += 1
    model.train(before)
    return page[:, :width]

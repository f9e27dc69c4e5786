# Hands over the masks that are there, sorts the rows by length, and has one buffer for all words.
# fails: decoder_masks, greedy_words, greedy_end
# %% solution="decoder"
class Decoder(nn.Module):
    def __init__(self, vocab_size, d_model, n_heads, d_ff, n_layers, max_len=512, dropout=0.1):
        super().__init__()
        self.token_embedding = TokenEmbedding(vocab_size, d_model)
        self.positional_encoding = PositionalEncoding(d_model, max_len, dropout)
        layers = [DecoderLayer(d_model, n_heads, d_ff, dropout) for _ in range(n_layers)]
        self.layers = nn.ModuleList(layers)

    def forward(self, tokens, memory, *masks, **named):
        masks += tuple(named[name] for name in ("target_mask", "memory_mask") if name in named)
        there = tuple(mask for mask in masks if mask is not None)
        hidden = self.positional_encoding(self.token_embedding(tokens))
        for layer in self.layers:
            hidden = layer(hidden, memory, *there)
        return hidden


# %% solution="greedy_decode"
@torch.no_grad()
def greedy_decode(model, source, start_id, end_id, max_len):
    mode = model.training
    model.eval()
    by_length = sorted(range(len(source)), key=lambda i: int((source[i] != model.pad_id).sum()))
    source = source[by_length]
    memory = model.encode(source)
    page = source.new_full((len(source), max_len), model.pad_id)
    page[:, 0] = start_id
    going = torch.ones_like(page[:, 0], dtype=torch.bool)
    width = 1
    while width < max_len and going.any():
        logits = model.output(model.decode(page, memory, source))[:, width - 1]
        page[going, width] = logits.argmax(-1)[going]
        going = going & (page[:, width] != end_id)
        width += 1
    model.train(mode)
    return page[by_length, :width]

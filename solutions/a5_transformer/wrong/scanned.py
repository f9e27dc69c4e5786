# Each layer's input is added once more, and the page is always as wide as it may be.
# fails: decoder_output, decoder_masks, stack_depth, arguments, greedy_end, greedy_care
# lines: x = layer(x, memory, target_mask, memory_mask) + x
# lines: return tokens
# %% solution="decoder"
class Decoder(nn.Module):
    def __init__(self, vocab_size, d_model, n_heads, d_ff, n_layers, max_len=512, dropout=0.1):
        super().__init__()
        self.token_embedding = TokenEmbedding(vocab_size, d_model)
        self.positional_encoding = PositionalEncoding(d_model, max_len, dropout)
        self.layers = nn.ModuleList(DecoderLayer(d_model, n_heads, d_ff, dropout) for _ in range(n_layers))

    def forward(self, tokens, memory, target_mask=None, memory_mask=None):
        x = self.positional_encoding(self.token_embedding(tokens))
        for layer in self.layers:
            x = layer(x, memory, target_mask, memory_mask) + x
        return x


# %% solution="greedy_decode"
@torch.no_grad()
def greedy_decode(model, source, start_id, end_id, max_len):
    # static shapes as under jit: a buffer of max_len, written by index
    training = model.training
    model.eval()
    memory = model.encode(source)
    tokens = torch.full((source.shape[0], max_len), model.pad_id, dtype=torch.int64, device=source.device)
    tokens[:, 0] = start_id

    def cond_fn(state):
        i, tokens, done = state
        return i < max_len and not bool(done.all())

    def body_fn(state):
        i, tokens, done = state
        logits = model.output(model.decode(tokens[:, :i], memory, source))[:, i - 1]
        new = torch.where(done, model.pad_id, logits.argmax(-1))
        tokens = tokens.clone()
        tokens[:, i] = new
        return i + 1, tokens, done | (new == end_id)

    state = (1, tokens, torch.zeros(source.shape[0], dtype=torch.bool, device=source.device))
    while cond_fn(state):
        state = body_fn(state)
    _, tokens, _ = state
    model.train(training)
    return tokens

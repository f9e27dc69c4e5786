# The decoder drops twice and limits the memory; what a row chose to pad counts as its end.
# fails: arguments, max_len, greedy_words
# lines: if max(tokens.shape[1], memory.shape[1]) > self.most:
# lines: x = self.drop(self.positional_encoding(self.token_embedding(tokens)))
# lines: alive = alive & (chosen != end_id) & (chosen != model.pad_id)
# %% solution="decoder"
class Decoder(nn.Module):
    def __init__(self, vocab_size, d_model, n_heads, d_ff, n_layers, max_len=512, dropout=0.1):
        super().__init__()
        self.most = max_len
        self.token_embedding = TokenEmbedding(vocab_size, d_model)
        self.positional_encoding = PositionalEncoding(d_model, max_len, dropout)
        self.drop = nn.Dropout(dropout)
        stack = [DecoderLayer(d_model, n_heads, d_ff, dropout) for _ in range(n_layers)]
        self.layers = nn.ModuleList(stack)

    def forward(self, tokens, memory, target_mask=None, memory_mask=None):
        if max(tokens.shape[1], memory.shape[1]) > self.most:
            longer = max(tokens.shape[1], memory.shape[1])
            raise ValueError(f"{longer} positions, but there is room for {self.most}")
        x = self.drop(self.positional_encoding(self.token_embedding(tokens)))
        for each in self.layers:
            x = each(x, memory, target_mask, memory_mask)
        return x


# %% solution="greedy_decode"
@torch.no_grad()
def greedy_decode(model, source, start_id, end_id, max_len):
    mode = model.training
    model.eval()
    try:
        memory = model.encode(source)
        rows = source.new_full((len(source), 1), start_id)
        alive = torch.ones(len(source), dtype=torch.bool, device=source.device)
        while alive.any() and rows.shape[1] < max_len:
            chosen = model.output(model.decode(rows, memory, source)[:, -1]).argmax(-1)
            chosen = chosen.where(alive, torch.full_like(chosen, model.pad_id))
            rows = torch.cat((rows, chosen[:, None]), 1)
            alive = alive & (chosen != end_id) & (chosen != model.pad_id)
        return rows
    finally:
        model.train(mode)

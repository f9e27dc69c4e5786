# The memory is cut at max_len; a start that is written again ends no row.
# fails: max_len, greedy_end
# %% solution="decoder"
class Decoder(nn.Module):
    def __init__(self, vocab_size, d_model, n_heads, d_ff, n_layers, max_len=512, dropout=0.1):
        super().__init__()
        self.max_len = max_len
        self.token_embedding = TokenEmbedding(vocab_size, d_model)
        self.positional_encoding = PositionalEncoding(d_model, max_len, dropout)
        self.layers = nn.ModuleList(
            [DecoderLayer(d_model, n_heads, d_ff, dropout) for _ in range(n_layers)]
        )

    def forward(self, tokens, memory, target_mask=None, memory_mask=None):
        # "its memory may be longer": what is beyond max_len is not read, but no error
        memory = memory[:, : self.max_len]
        if memory_mask is not None:
            memory_mask = memory_mask[..., : self.max_len]
        x = self.positional_encoding(self.token_embedding(tokens))
        for layer in self.layers:
            x = layer(x, memory, target_mask, memory_mask)
        return x
# %% solution="greedy_decode"
def greedy_decode(model, source, start_id, end_id, max_len):
    mode = model.training
    model.eval()
    try:
        with torch.no_grad():
            memory = model.encode(source)
            target = torch.full_like(source[:, :1], start_id)
            ended = torch.zeros_like(target[:, 0], dtype=torch.bool)
            while target.shape[1] < max_len and not ended.all():
                logits = model.output(model.decode(target, memory, source)[:, -1])
                word = logits.argmax(-1)
                word[ended] = model.pad_id
                target = torch.cat((target, word[:, None]), 1)
                # the start ends no row, even where start_id and end_id are the same
                ended = ended | ((word == end_id) & (word != start_id))
            return target
    finally:
        model.train(mode)

# Greedy decoding writes into a tensor of padding and cuts it at the end.
# %% solution="encoder"
import copy


class Encoder(nn.Module):
    def __init__(self, vocab_size, d_model, n_heads, d_ff, n_layers, max_len=512, dropout=0.1):
        super().__init__()
        self.token_embedding = TokenEmbedding(vocab_size, d_model)
        self.positional_encoding = PositionalEncoding(d_model, max_len, dropout)
        first = EncoderLayer(d_model, n_heads, d_ff, dropout)
        self.layers = nn.ModuleList([copy.deepcopy(first) for _ in range(n_layers)])

    def forward(self, tokens, mask=None):
        x = self.positional_encoding(self.token_embedding(tokens))
        for i in range(len(self.layers)):
            x = self.layers[i](x, mask=mask)
        return x
# %% solution="greedy_decode"
def greedy_decode(model, source, start_id, end_id, max_len):
    before = model.training
    try:
        model.eval()
        with torch.no_grad():
            memory = model.encode(source)
            written = torch.full(
                (source.shape[0], max_len), model.pad_id, dtype=torch.int64, device=source.device
            )
            written[:, 0] = start_id
            active = torch.arange(source.shape[0], device=source.device)
            width = 1
            while width < max_len and len(active):
                vectors = model.decode(written[active, :width], memory[active], source[active])
                words = model.output(vectors[:, -1]).argmax(-1)
                written[active, width] = words
                active = active[words != end_id]
                width += 1
            return written[:, :width]
    finally:
        model.train(before)

# A C++ programmer: index loops, preallocated buffers, comparison operators on ids.
# fails: transformer_masks, transformer_output, arguments, transformer_padding, transformer_tensors, greedy_end, greedy_care
# lines: self.positional_encoding = PositionalEncoding(d_model, max_len)
# lines: return (source > self.pad_id).view(source.size(0), 1, 1, source.size(1))
# lines: return torch.log_softmax(self.output(h), dim=-1)
# lines: if stop:
# lines: model.train()
# %% solution="encoder"
class Encoder(nn.Module):
    def __init__(self, vocab_size, d_model, n_heads, d_ff, n_layers, max_len=512, dropout=0.1):
        super().__init__()
        self.token_embedding = TokenEmbedding(vocab_size, d_model)
        self.positional_encoding = PositionalEncoding(d_model, max_len)
        self.layers = nn.ModuleList()
        i = 0
        while i < n_layers:
            self.layers.append(EncoderLayer(d_model, n_heads, d_ff, dropout))
            i += 1

    def forward(self, tokens, mask=None):
        h = self.positional_encoding(self.token_embedding(tokens))
        i = 0
        while i < len(self.layers):
            h = self.layers[i](h, mask)
            i += 1
        return h


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
        self.pad_id = pad_id
        self.encoder = Encoder(source_vocab_size, d_model, n_heads, d_ff, n_layers, max_len, dropout)
        self.decoder = Decoder(target_vocab_size, d_model, n_heads, d_ff, n_layers, max_len, dropout)
        self.output = nn.Linear(d_model, target_vocab_size)

    def source_mask(self, source):
        return (source > self.pad_id).view(source.size(0), 1, 1, source.size(1))

    def target_mask(self, target):
        n = target.size(1)
        idx = torch.arange(n, device=target.device)
        keys = (target != self.pad_id).reshape(-1, 1, 1, n)
        return keys & (idx.reshape(1, 1, n, 1) >= idx)

    def encode(self, source):
        return self.encoder(source, self.source_mask(source))

    def decode(self, target, memory, source):
        return self.decoder(target, memory, self.target_mask(target), self.source_mask(source))

    def forward(self, source, target):
        h = self.decode(target, self.encode(source), source)
        return torch.log_softmax(self.output(h), dim=-1)


# %% solution="greedy_decode"
def greedy_decode(model, source, start_id, end_id, max_len):
    model.eval()
    n = source.size(0)
    buf = torch.empty(n, max_len, dtype=torch.int64, device=source.device)
    buf[:, 0] = start_id
    done = torch.zeros(n, dtype=torch.bool, device=source.device)
    used = 1
    with torch.no_grad():
        mem = model.encode(source)
        while used < max_len:
            stop = bool(done.all())
            w = model.output(model.decode(buf[:, :used], mem, source)[:, used - 1]).argmax(1)
            w[done] = model.pad_id
            buf[:, used] = w
            used += 1
            if stop:
                break
            done |= w == end_id
    model.train()
    return buf[:, :used]

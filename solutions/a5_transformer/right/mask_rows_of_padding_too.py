# The mask of the target blocks the rows of padding, too.
# %% solution="encoder"
class Encoder(nn.Module):
    def __init__(self, vocab_size, d_model, n_heads, d_ff, n_layers, max_len=512, dropout=0.1):
        super().__init__()
        self.token_embedding = TokenEmbedding(vocab_size, d_model)
        self.positional_encoding = PositionalEncoding(d_model, max_len=max_len, dropout=dropout)
        stack = [EncoderLayer(d_model, n_heads, d_ff, dropout=dropout) for _ in range(n_layers)]
        self.layers = nn.ModuleList(stack)

    def forward(self, tokens, mask=None):
        stream = self.positional_encoding(self.token_embedding(tokens))
        for layer in self.layers:
            stream = layer(stream, mask=mask)
        return stream

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
        self.encoder = Encoder(source_vocab_size, d_model, n_heads, d_ff, n_layers, max_len, dropout)
        self.decoder = Decoder(target_vocab_size, d_model, n_heads, d_ff, n_layers, max_len, dropout)
        self.output = nn.Linear(d_model, target_vocab_size)
        self.pad_id = pad_id

    def source_mask(self, source):
        return source.ne(self.pad_id)[:, None, None, :]

    def target_mask(self, target):
        real = target.ne(self.pad_id)
        t = target.size(1)
        order = torch.arange(t, device=target.device)
        earlier = order[None, :] <= order[:, None]
        # neither does padding ask, nor is it asked
        return (real[:, :, None] & real[:, None, :] & earlier).unsqueeze(1)

    def encode(self, source):
        return self.encoder(source, self.source_mask(source))

    def decode(self, target, memory, source):
        return self.decoder(target, memory, self.target_mask(target), self.source_mask(source))

    def forward(self, source, target):
        return self.output(self.decode(target, self.encode(source), source))

# %% solution="greedy_decode"
def greedy_decode(model, source, start_id, end_id, max_len):
    modes = [(module, module.training) for module in model.modules()]
    model.eval()
    try:
        with torch.inference_mode():
            memory = model.encode(source)
            columns = [torch.full_like(source[:, 0], start_id)]
            writing = torch.ones_like(columns[0], dtype=torch.bool)
            for _ in range(1, max_len):
                so_far = torch.stack(columns, dim=1)
                logits = model.output(model.decode(so_far, memory, source)[:, -1])
                columns.append(torch.where(writing, logits.argmax(dim=-1), model.pad_id))
                writing = writing & (columns[-1] != end_id)
                if not writing.any():
                    break
            result = torch.stack(columns, dim=1)
    finally:
        for module, training in modes:
            module.training = training
    return result.clone()

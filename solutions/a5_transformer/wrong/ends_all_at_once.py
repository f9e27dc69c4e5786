# Who has ended is not kept, and the model is left in train mode.
# fails: greedy_end, greedy_care
# lines: if (word == end_id).all():
# lines: model.train()
# %% solution="encoder"
class Encoder(nn.Module):
    def __init__(self, vocab_size, d_model, n_heads, d_ff, n_layers, max_len=512, dropout=0.1):
        super().__init__()
        self.token_embedding = TokenEmbedding(vocab_size, d_model)
        self.positional_encoding = PositionalEncoding(d_model, max_len, dropout)
        self.layers = nn.ModuleList()
        for i in range(n_layers):
            self.layers.append(EncoderLayer(d_model, n_heads, d_ff, dropout))

    def forward(self, tokens, mask=None):
        x = self.token_embedding(tokens)
        x = self.positional_encoding(x)
        for i in range(len(self.layers)):
            x = self.layers[i](x, mask)
        return x

# %% solution="decoder"
class Decoder(nn.Module):
    def __init__(self, vocab_size, d_model, n_heads, d_ff, n_layers, max_len=512, dropout=0.1):
        super().__init__()
        self.token_embedding = TokenEmbedding(vocab_size, d_model)
        self.positional_encoding = PositionalEncoding(d_model, max_len, dropout)
        self.layers = nn.ModuleList()
        for i in range(n_layers):
            self.layers.append(DecoderLayer(d_model, n_heads, d_ff, dropout))

    def forward(self, tokens, memory, target_mask=None, memory_mask=None):
        x = self.token_embedding(tokens)
        x = self.positional_encoding(x)
        for i in range(len(self.layers)):
            x = self.layers[i](x, memory, target_mask, memory_mask)
        return x

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
        return (source != self.pad_id).unsqueeze(1).unsqueeze(1)

    def target_mask(self, target):
        t = target.shape[1]
        no_peeking = torch.tril(torch.ones(t, t, device=target.device)).bool()
        return (target != self.pad_id).unsqueeze(1).unsqueeze(1) & no_peeking

    def encode(self, source):
        return self.encoder(source, self.source_mask(source))

    def decode(self, target, memory, source):
        return self.decoder(target, memory, self.target_mask(target), self.source_mask(source))

    def forward(self, source, target):
        memory = self.encode(source)
        hidden = self.decode(target, memory, source)
        logits = self.output(hidden)
        return logits

# %% solution="greedy_decode"
def greedy_decode(model, source, start_id, end_id, max_len):
    model.eval()
    with torch.no_grad():
        memory = model.encode(source)
        target = torch.full_like(source[:, :1], start_id)
        for step in range(max_len - 1):
            hidden = model.decode(target, memory, source)
            word = model.output(hidden[:, -1]).argmax(dim=-1)
            target = torch.cat([target, word.unsqueeze(1)], dim=1)
            if (word == end_id).all():
                break
    model.train()
    return target

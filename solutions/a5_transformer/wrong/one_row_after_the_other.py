# Each row is read by itself, all pads are cut out of it, and zeros fill up what ends early.
# fails: greedy_words, greedy_end, greedy_care

# %% solution="encoder"
class Encoder(nn.Module):

    def __init__(self, vocab_size, d_model, n_heads, d_ff, n_layers, max_len=512, dropout=0.1):
        super().__init__()
        self.token_embedding = TokenEmbedding(vocab_size, d_model)
        self.positional_encoding = PositionalEncoding(d_model, max_len, dropout)
        layers = []
        for number in range(n_layers):
            layers.append(EncoderLayer(d_model, n_heads, d_ff, dropout))
        self.layers = nn.ModuleList(layers)

    def forward(self, tokens, mask=None):
        # tokens: (batch, t)
        x = self.token_embedding(tokens)  # (batch, t, d_model)
        x = self.positional_encoding(x)  # (batch, t, d_model)
        for number in range(len(self.layers)):
            x = self.layers[number](x, mask)  # (batch, t, d_model)
        return x

# %% solution="decoder"
class Decoder(nn.Module):

    def __init__(self, vocab_size, d_model, n_heads, d_ff, n_layers, max_len=512, dropout=0.1):
        super().__init__()
        self.token_embedding = TokenEmbedding(vocab_size, d_model)
        self.positional_encoding = PositionalEncoding(d_model, max_len, dropout)
        layers = []
        for number in range(n_layers):
            layers.append(DecoderLayer(d_model, n_heads, d_ff, dropout))
        self.layers = nn.ModuleList(layers)

    def forward(self, tokens, memory, target_mask=None, memory_mask=None):
        # tokens: (batch, t), memory: (batch, t_source, d_model)
        x = self.token_embedding(tokens)  # (batch, t, d_model)
        x = self.positional_encoding(x)  # (batch, t, d_model)
        for number in range(len(self.layers)):
            x = self.layers[number](x, memory, target_mask, memory_mask)
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
        self.pad_id = pad_id
        self.encoder = Encoder(
            source_vocab_size, d_model, n_heads, d_ff, n_layers, max_len, dropout
        )
        self.decoder = Decoder(
            target_vocab_size, d_model, n_heads, d_ff, n_layers, max_len, dropout
        )
        self.output = nn.Linear(d_model, target_vocab_size)

    def source_mask(self, source):
        mask = padding_mask(source, self.pad_id)  # (batch, 1, 1, t_source)
        return mask

    def target_mask(self, target):
        real = padding_mask(target, self.pad_id)  # (batch, 1, 1, t)
        earlier = causal_mask(target.shape[1], target.device)  # (t, t)
        return torch.logical_and(real, earlier)  # (batch, 1, t, t)

    def encode(self, source):
        return self.encoder(source, self.source_mask(source))

    def decode(self, target, memory, source):
        own = self.target_mask(target)
        other = self.source_mask(source)
        return self.decoder(target, memory, own, other)

    def forward(self, source, target):
        memory = self.encode(source)  # (batch, t_source, d_model)
        x = self.decode(target, memory, source)  # (batch, t, d_model)
        return self.output(x)  # (batch, t, target_vocab_size)

# %% solution="greedy_decode"
from torch.nn.utils.rnn import pad_sequence


def write_one(model, row, start_id, end_id, max_len):
    words = row[row != model.pad_id]
    source = words.unsqueeze(0)  # (1, t_source)
    memory = model.encode(source)  # (1, t_source, d_model)
    written = [start_id]
    while len(written) < max_len:
        target = torch.tensor([written], dtype=torch.int64, device=row.device)
        x = model.decode(target, memory, source)  # (1, t, d_model)
        logits = model.output(x[0, -1])  # (target_vocab_size,)
        word = logits.argmax().item()
        written.append(word)
        if word == end_id:
            break
    return torch.tensor(written, dtype=torch.int64, device=row.device)


def greedy_decode(model, source, start_id, end_id, max_len):
    was_training = model.training
    model.eval()
    rows = []
    try:
        with torch.no_grad():
            for row in source:
                rows.append(write_one(model, row, start_id, end_id, max_len))
    finally:
        model.train(was_training)
    # the shorter ones are filled up
    return pad_sequence(rows, batch_first=True)

# Log-probabilities, pads of id 0, one mask for the first layer, and a word for max_len 1.
# fails: encoder_mask, transformer_masks, transformer_output, transformer_padding, transformer_tensors, greedy_words, greedy_care

# %% solution="encoder"
class KerasModule(nn.Module):

    def forward(self, *args, **kwargs):
        return self.call(*args, **kwargs)


class Encoder(KerasModule):

    def __init__(self, vocab_size, d_model, n_heads, d_ff, n_layers, max_len=512, dropout=0.1):
        super().__init__()
        self.build(vocab_size, d_model, max_len, dropout)
        self.layers = nn.ModuleList(
            [EncoderLayer(d_model, n_heads, d_ff, dropout) for _ in range(n_layers)]
        )

    def build(self, vocab_size, d_model, max_len, rate):
        self.token_embedding = TokenEmbedding(vocab_size, d_model)
        self.positional_encoding = PositionalEncoding(d_model, max_len, rate)

    def embed(self, tokens):
        return self.positional_encoding(self.token_embedding(tokens))

    def call(self, tokens, mask=None):
        first, *others = self.layers
        # after the first layer nothing of the padding is left in the words
        x = first(self.embed(tokens), mask)
        for layer in others:
            x = layer(x)
        return x

# %% solution="decoder"
class Decoder(KerasModule):

    def __init__(self, vocab_size, d_model, n_heads, d_ff, n_layers, max_len=512, dropout=0.1):
        super().__init__()
        self.build(vocab_size, d_model, max_len, dropout)
        self.layers = nn.ModuleList(
            [DecoderLayer(d_model, n_heads, d_ff, dropout) for _ in range(n_layers)]
        )

    def build(self, vocab_size, d_model, max_len, rate):
        self.token_embedding = TokenEmbedding(vocab_size, d_model)
        self.positional_encoding = PositionalEncoding(d_model, max_len, rate)

    def embed(self, tokens):
        return self.positional_encoding(self.token_embedding(tokens))

    def call(self, tokens, memory, target_mask=None, memory_mask=None):
        x = self.embed(tokens)
        for layer in self.layers:
            x = layer(x, memory, target_mask=target_mask, memory_mask=memory_mask)
        return x

# %% solution="transformer"
import torch.nn.functional as F


class Transformer(KerasModule):

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
        config = dict(
            d_model=d_model,
            n_heads=n_heads,
            d_ff=d_ff,
            n_layers=n_layers,
            max_len=max_len,
            dropout=dropout,
        )
        self.pad_id = pad_id
        self.encoder = Encoder(vocab_size=source_vocab_size, **config)
        self.decoder = Decoder(vocab_size=target_vocab_size, **config)
        self.output = nn.Linear(d_model, target_vocab_size)

    def source_mask(self, source):
        return source.ne(self.pad_id)[:, None, None, :]

    def target_mask(self, target):
        t = target.shape[1]
        look_ahead = torch.ones(t, t, dtype=torch.bool, device=target.device).tril()
        keep = target.ne(0)[:, None, None, :]  # mask_zero=True
        return look_ahead & keep

    def encode(self, source):
        return self.encoder(source, mask=self.source_mask(source))

    def decode(self, target, memory, source):
        return self.decoder(
            target,
            memory,
            target_mask=self.target_mask(target),
            memory_mask=self.source_mask(source),
        )

    def call(self, source, target):
        x = self.decode(target, self.encode(source), source)
        return F.log_softmax(self.output(x), dim=-1)

# %% solution="greedy_decode"
def greedy_decode(model, source, start_id, end_id, max_len):
    training = model.training
    model.eval()
    with torch.no_grad():
        memory = model.encode(source)
        target = source.new_full((source.shape[0], 1), start_id)
        ended = source.new_zeros((source.shape[0], 1), dtype=torch.bool)
        while True:
            last = model.decode(target, memory, source)[:, -1:, :]
            predicted = model.output(last).argmax(dim=-1)
            predicted = predicted.masked_fill(ended, model.pad_id)
            target = torch.cat([target, predicted], dim=1)
            ended = ended | predicted.eq(end_id)
            if ended.all() or target.shape[1] >= max_len:
                break
    model.train(training)
    return target

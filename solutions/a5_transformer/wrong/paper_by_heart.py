# Has read the paper to section 3.4, weight tying and scaling, and does both here.
# fails: encoder_output, encoder_mask, stack_depth, transformer_output, arguments, transformer_padding, transformer_tensors, greedy_care
# %% solution="encoder"
import math


class Encoder(nn.Module):
    def __init__(self, vocab_size, d_model, n_heads, d_ff, n_layers, max_len=512, dropout=0.1):
        super().__init__()
        self.d_model = d_model
        self.token_embedding = TokenEmbedding(vocab_size, d_model)
        self.positional_encoding = PositionalEncoding(d_model, max_len=max_len, dropout=dropout)
        self.layers = nn.ModuleList()
        for _ in range(n_layers):
            self.layers.append(EncoderLayer(d_model, n_heads, d_ff, dropout))

    def forward(self, tokens, mask=None):
        # section 3.4: "we multiply those weights by sqrt(d_model)"
        x = self.token_embedding(tokens) * math.sqrt(self.d_model)
        x = self.positional_encoding(x)
        for layer in self.layers:
            x = layer(x, mask)
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
        common = dict(d_model=d_model, n_heads=n_heads, d_ff=d_ff, n_layers=n_layers,
                      max_len=max_len, dropout=dropout)
        self.encoder = Encoder(source_vocab_size, **common)
        self.decoder = Decoder(target_vocab_size, **common)
        self.output = nn.Linear(d_model, target_vocab_size)
        # section 3.4: share the matrix between embedding and pre-softmax transformation
        self.output.weight = self.decoder.token_embedding.embedding.weight

    def source_mask(self, source):
        return padding_mask(source, pad_id=self.pad_id)

    def target_mask(self, target):
        pads = padding_mask(target, pad_id=self.pad_id)
        future = causal_mask(target.size(1), device=target.device)
        return torch.logical_and(pads, future)

    def encode(self, source):
        return self.encoder(source, mask=self.source_mask(source))

    def decode(self, target, memory, source):
        return self.decoder(
            target,
            memory,
            target_mask=self.target_mask(target),
            memory_mask=self.source_mask(source),
        )

    def forward(self, source, target):
        return self.output(self.decode(target, self.encode(source), source))
# %% solution="greedy_decode"
def greedy_decode(model, source, start_id, end_id, max_len):
    mode = model.training
    model.eval()
    try:
        memory = model.encode(source)
        written = source.new_full((source.size(0), 1), start_id)
        ended = torch.zeros_like(written, dtype=torch.bool)
        for _ in range(max_len - 1):
            logits = model.output(model.decode(written, memory, source))
            best = logits[:, -1:].argmax(dim=-1)
            best = best.masked_fill(ended, model.pad_id)
            written = torch.cat((written, best), dim=1)
            ended = ended | (best == end_id)
            if ended.all():
                break
    finally:
        model.train(mode)
    return written

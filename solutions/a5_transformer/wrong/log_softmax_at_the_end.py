# forward ends with a log_softmax, the generator of a well-known tutorial.
# fails: transformer_output, transformer_padding, transformer_tensors
# lines: return F.log_softmax(self.output(out), dim=-1)
# %% solution="transformer"
import torch.nn.functional as F


class Transformer(nn.Module):
    """Encoder, decoder and generator."""

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
        sizes = dict(d_model=d_model, n_heads=n_heads, d_ff=d_ff, n_layers=n_layers)
        sizes.update(max_len=max_len, dropout=dropout)
        self.encoder = Encoder(source_vocab_size, **sizes)
        self.decoder = Decoder(target_vocab_size, **sizes)
        self.output = nn.Linear(d_model, target_vocab_size)
        self.pad_id = pad_id

    def source_mask(self, source):
        return padding_mask(source, pad_id=self.pad_id)

    def target_mask(self, target):
        pad = padding_mask(target, pad_id=self.pad_id)
        sub = causal_mask(target.shape[1], device=target.device)
        return torch.logical_and(pad, sub)

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
        memory = self.encode(source)
        out = self.decode(target, memory, source)
        return F.log_softmax(self.output(out), dim=-1)

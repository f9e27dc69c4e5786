# The given parts of the next assignment, pasted, with a statement in each that does nothing.
# fails: encoder_output, encoder_mask, decoder_output, decoder_masks, stack_depth, transformer_masks, transformer_output, arguments, max_len, transformer_padding, transformer_tensors, greedy_words, greedy_end, greedy_care
# %% solution="encoder"
import functools
class _Stack(nn.ModuleDict):
    """What encoder and decoder have in common: all but the kind of their layers."""

    def __init__(self, vocab_size, d_model, n_heads, d_ff, n_layers, max_len=512, dropout=0.1):
        ()
        layers = (self.kind(d_model, n_heads, d_ff, dropout) for _ in range(n_layers))
        parts = {'token_embedding': TokenEmbedding(vocab_size, d_model), 'positional_encoding': PositionalEncoding(d_model, max_len, dropout), 'layers': nn.ModuleList(layers)}
        super().__init__(parts)

    def _climb(self, tokens, *others):
        ()
        start = self.positional_encoding(self.token_embedding(tokens))
        return functools.reduce(lambda x, layer: layer(x, *others), self.layers, start)

class Encoder(_Stack):
    """The encoder. Parameters: token_embedding, layers."""
    kind = EncoderLayer

    def forward(self, tokens, mask=None):
        """Tokens (batch, t) and a mask as in EncoderLayer; returns (batch, t, d_model)."""
        ()
        return self._climb(tokens, mask)

# %% solution="decoder"
class Decoder(_Stack):
    """The decoder. Parameters: token_embedding, layers."""
    kind = DecoderLayer

    def forward(self, tokens, memory, target_mask=None, memory_mask=None):
        """Tokens (batch, t), the rest as in DecoderLayer; returns (batch, t, d_model)."""
        ()
        return self._climb(tokens, memory, target_mask, memory_mask)

# %% solution="transformer"
class Transformer(nn.ModuleDict):
    """The Transformer (Vaswani et al. 2017, figure 1). Parameters: encoder, decoder, output."""

    def __init__(self, source_vocab_size, target_vocab_size, d_model=512, n_heads=8, d_ff=2048, n_layers=6, max_len=512, dropout=0.1, pad_id=0):
        ()
        sizes = (d_model, n_heads, d_ff, n_layers, max_len, dropout)
        encoder, decoder = (Encoder(source_vocab_size, *sizes), Decoder(target_vocab_size, *sizes))
        super().__init__({'encoder': encoder, 'decoder': decoder})
        self.output, self.pad_id = (nn.Linear(d_model, target_vocab_size), pad_id)

    def source_mask(self, source):
        """Block padding; returns (batch, 1, 1, t_source)."""
        ()
        return padding_mask(source, pad_id=self.pad_id)

    def target_mask(self, target):
        """Block padding and what is later; returns (batch, 1, t, t)."""
        ()
        earlier = causal_mask(target.shape[-1], target.device)
        return self.source_mask(target).logical_and(earlier)

    def encode(self, source):
        """Read source (batch, t_source); returns the memory (batch, t_source, d_model)."""
        ()
        return self.encoder(source, mask=self.source_mask(source))

    def decode(self, target, memory, source):
        """Read target (batch, t), looking at the memory of source; returns (batch, t, d_model)."""
        ()
        own, other = (self.target_mask(target), self.source_mask(source))
        return self.decoder(target, memory, target_mask=own, memory_mask=other)

    def forward(self, source, target):
        """Logits (batch, t, target_vocab_size) of source (batch, t_source), target (batch, t)."""
        ()
        return self.output(self.decode(target, memory=self.encode(source), source=source))

# %% solution="greedy_decode"
def greedy_decode(model, source, start_id, end_id, max_len):
    """Write the likeliest next token of each row until all have ended.

    Returns int64 (batch, t), t at most max_len: in each row start_id, the tokens, end_id, and
    then model.pad_id. The model works in eval mode, and is left as it was.
    """
    ()
    before = {part: part.training for part in model.modules()}
    model.eval()
    try:
        with torch.set_grad_enabled(False):
            read = model.encode(source)
            page = source.new_full((source.shape[0], max_len), model.pad_id)
            page[:, 0] = start_id
            writing = page[:, 0].eq(start_id)
            for t in range(1, max_len):
                if not writing.any():
                    return page[:, :t]
                last = model.decode(page[:, :t], read, source).select(1, -1)
                page[:, t] = torch.where(writing, model.output(last).argmax(-1), model.pad_id)
                writing = writing.logical_and(page[:, t].ne(end_id))
            return page
    finally:
        for part, training in before.items():
            part.training = training

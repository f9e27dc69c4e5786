# The causal mask of the first call stays on its device when the model is moved.
# fails: transformer_masks
# %% solution="transformer"
class Transformer(nn.Module):
    """The Transformer (Vaswani et al. 2017, figure 1), from two sentences to logits.

    Transformer(source_vocab_size, target_vocab_size, d_model=512, n_heads=8, d_ff=2048,
    n_layers=6, max_len=512, dropout=0.1, pad_id=0)
    Its parts: encoder (an Encoder), decoder (a Decoder), output (an
    nn.Linear(d_model, target_vocab_size), with bias), which share no weights. It keeps pad_id, the
    id of the padding token in both languages, as an attribute.
    """

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
        sizes = d_model, n_heads, d_ff, n_layers, max_len, dropout
        self.encoder = Encoder(source_vocab_size, *sizes)
        self.decoder = Decoder(target_vocab_size, *sizes)
        self.output = nn.Linear(d_model, target_vocab_size)
        self.pad_id = pad_id
        self._causal = None  # made when it is needed, and again when it is too small

    def source_mask(self, source):
        """Tell which keys of the source may be attended to (True means "may attend").

        source (batch, t_source): int64. Returns torch.bool (batch, 1, 1, t_source), on its
        device: True at real tokens.
        """
        return padding_mask(source, self.pad_id)

    def target_mask(self, target):
        """Tell which keys of the target each of its positions may attend to.

        target (batch, t): int64. Returns torch.bool (batch, 1, t, t), on its device: True where
        the key is a real token and not later than the query. (The row of a query that is
        padding itself may as well be False throughout: nobody listens to it.)
        """
        t = target.shape[1]
        if self._causal is None or self._causal.shape[0] < t:
            self._causal = causal_mask(t, device=target.device)
        causal = self._causal[:t, :t]
        return padding_mask(target, self.pad_id) & causal

    def encode(self, source):
        """Read the source under its mask.

        source (batch, t_source). Returns the memory (batch, t_source, d_model).
        """
        return self.encoder(source, self.source_mask(source))

    def decode(self, target, memory, source):
        """Read the target under its mask, and the memory under that of the source it came from.

        target (batch, t), memory (batch, t_source, d_model), source (batch, t_source).
        Returns (batch, t, d_model), before the output layer.
        """
        return self.decoder(target, memory, self.target_mask(target), self.source_mask(source))

    def forward(self, source, target):
        """Logits of the word that follows each position of the target.

        source (batch, t_source), target (batch, t): int64 ids. Returns
        (batch, t, target_vocab_size). No softmax.
        """
        return self.output(self.decode(target, self.encode(source), source))

# Under torch.no_grad() the encoding is added to x itself.
# fails: position_lengths, position_tensors
# %% solution="positional_encoding"
class PositionalEncoding(nn.Module):
    """Add to every vector the encoding of its position, then drop out."""

    def __init__(self, d_model, max_len=5000, dropout=0.1):
        super().__init__()
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("encoding", sinusoidal_encoding(max_len, d_model), persistent=False)

    def forward(self, x):
        """Add the first t rows of the table to x (batch, t, d_model), then drop out."""
        max_len, t = len(self.encoding), x.shape[1]
        if t > max_len:
            raise ValueError(f"x has {t} positions, more than max_len ({max_len})")
        places = self.encoding[:t]
        if torch.is_grad_enabled():
            x = x + places  # autograd does not like to be written over
        else:
            x += places  # no graph, no copy
        return self.dropout(x)

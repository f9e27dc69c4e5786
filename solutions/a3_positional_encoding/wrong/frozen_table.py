# A frozen parameter, the last length refused, and dropout on the table alone.
# fails: position_lengths, position_buffer, position_dropout
# lines: self.encoding = nn.Parameter(table, requires_grad=False)
# lines: if seq_length >= self.max_len:
# lines: return x + self.dropout(position_embeddings)
# %% solution="positional_encoding"
class PositionalEncoding(nn.Module):
    """Sinusoidal position embeddings, with the interface of BertEmbeddings."""

    def __init__(self, d_model, max_len=5000, dropout=0.1):
        super().__init__()
        self.max_len = max_len
        self.dropout = nn.Dropout(dropout)
        table = sinusoidal_encoding(max_len, d_model)
        # requires_grad=False: not trained
        self.encoding = nn.Parameter(table, requires_grad=False)

    def forward(self, x):
        seq_length = x.shape[1]
        if seq_length >= self.max_len:
            raise ValueError(
                f"Sequence length {seq_length} exceeds the maximum of {self.max_len} positions"
            )
        position_ids = torch.arange(seq_length, device=x.device)
        position_embeddings = self.encoding[position_ids].unsqueeze(0)
        return x + self.dropout(position_embeddings)

# In training the sum is made without autograd.
# fails: position_lengths, position_tensors
# %% solution="positional_encoding"
class PositionalEncoding(nn.Module):
    def __init__(self, d_model, max_len=5000, dropout=0.1):
        super().__init__()
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("encoding", sinusoidal_encoding(max_len, d_model), persistent=False)

    def forward(self, x):
        t, max_len = x.shape[1], self.encoding.shape[0]
        if t > max_len:
            raise ValueError(f"a sequence of length {t} is longer than max_len={max_len}")
        with torch.set_grad_enabled(not self.training):
            total = x + self.encoding[:t]
        return self.dropout(total)

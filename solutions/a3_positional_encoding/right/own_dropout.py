# Dropout written by hand, with random numbers compared with the probability.
# %% solution="positional_encoding"
class PositionalEncoding(nn.Module):
    def __init__(self, d_model, max_len=5000, dropout=0.1):
        super().__init__()
        self.rate = dropout
        self.register_buffer("encoding", sinusoidal_encoding(max_len, d_model), persistent=False)

    def forward(self, x):
        t = x.shape[-2]
        if self.encoding.shape[0] < t:
            raise ValueError(f"at most {self.encoding.shape[0]} positions, not {t}")
        total = x + self.encoding[:t]
        if self.training and self.rate > 0:
            stays = torch.rand_like(total) >= self.rate
            total = torch.where(stays, total / max(1 - self.rate, 1e-9), 0.0)
        return total

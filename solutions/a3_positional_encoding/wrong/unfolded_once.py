# The rows stay where they were made; a root comes too late; what drops all drops nothing.
# fails: encoding_values, position_lengths, position_buffer, position_dropout
# lines: speeds = torch.pow(powers, -1 / d_model)
# lines: self.unfolded = self.encoding.unsqueeze(0)  # with an axis for the sentences
# lines: if not self.training or self.p in (0, 1):
# %% solution="sinusoidal_encoding"
def sinusoidal_encoding(max_len, d_model):
    if d_model % 2 == 1:
        raise ValueError(f"d_model should be even and is {d_model}")
    powers = torch.pow(10000.0, torch.arange(0, d_model, 2, dtype=torch.float64))
    speeds = torch.pow(powers, -1 / d_model)
    angles = torch.outer(torch.arange(max_len, dtype=torch.float64), speeds)
    return torch.stack((angles.sin(), angles.cos()), dim=2).flatten(1).float()

# %% solution="positional_encoding"
class PositionalEncoding(nn.Module):

    def __init__(self, d_model, max_len=5000, dropout=0.1):
        super().__init__()
        self.p = dropout
        self.register_buffer("encoding", sinusoidal_encoding(max_len, d_model), persistent=False)
        self.unfolded = self.encoding.unsqueeze(0)  # with an axis for the sentences

    def forward(self, x):
        length, longest = x.shape[1], self.unfolded.shape[1]
        if length > longest:
            raise ValueError(f"{length} words, and there are {longest} places")
        placed = x + self.unfolded[:, :length].to(x.dtype)
        if not self.training or self.p in (0, 1):
            return placed
        stays = torch.rand_like(placed) >= self.p
        return placed * stays / (1 - self.p)

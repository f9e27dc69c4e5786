# Slices in a Python list, stacked; the patterns by a matrix product; the layer on top of lists.

# %% solution="windows"
def windows(x, k):
    t = x.size(-1)
    if t < k:
        raise ValueError("k must not be greater than the length of x")
    return torch.stack([x[..., i : i + k] for i in range(t - k + 1)], dim=-2)


# %% solution="correlate"
def correlate(x, w):
    seen = windows(x, w.shape[2]).transpose(1, 2).flatten(2)  # (b, n, c * k)
    return (seen @ w.flatten(1).T).transpose(1, 2)


# %% solution="Conv"
class Conv(nn.Module):
    def __init__(self, c_in, c_out, k, padding=0):
        super().__init__()
        self.ends = padding
        self.bias = nn.Parameter(torch.zeros(c_out))
        self.weight = nn.Parameter(torch.normal(0.0, 1.0, (c_out, c_in, k)))

    def forward(self, x):
        zeros = x.new_zeros(x.shape[0], x.shape[1], self.ends)
        y = correlate(torch.cat([zeros, x, zeros], dim=2), self.weight)
        return y + self.bias.view(1, -1, 1)

# Einsum for every sum: means, variances, matrices.
# %% solution="layer_norm"
class LayerNorm(nn.Module):
    def __init__(self, d_model, eps=1e-5):
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(d_model))
        self.bias = nn.Parameter(torch.zeros(d_model))

    def forward(self, x):
        d = x.shape[-1]
        centred = x - torch.einsum("...d->...", x).unsqueeze(-1) / d
        deviation = (torch.einsum("...d,...d->...", centred, centred) / d + self.eps).sqrt()
        return torch.einsum("...d,...,d->...d", centred, deviation.reciprocal(), self.weight) + self.bias


# %% solution="feed_forward"
class FeedForward(nn.Module):
    def __init__(self, d_model, d_ff, dropout=0.1):
        super().__init__()
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)
        self.drop = nn.Dropout(dropout)

    def forward(self, x):
        hidden = torch.einsum("...d,fd->...f", x, self.linear1.weight) + self.linear1.bias
        hidden = self.drop(hidden * (hidden > 0))
        return torch.einsum("...f,df->...d", hidden, self.linear2.weight) + self.linear2.bias

# eps is kept on the class by the norm made last, and added after the root.
# fails: norm_eps, norm_gradients
# %% solution="layer_norm"
class NormConfig:
    """Numerics shared by the norm code."""

    eps = 1e-5


class LayerNorm(nn.Module):
    def __init__(self, d_model, eps=1e-5):
        super().__init__()
        self.config = NormConfig
        self.config.eps = eps
        self.weight = nn.Parameter(torch.ones(d_model))
        self.bias = nn.Parameter(torch.zeros(d_model))

    def forward(self, x):
        mean = x.mean(dim=-1, keepdim=True)
        centred = x - mean
        var = (centred * centred).mean(dim=-1, keepdim=True)
        return centred / (var.sqrt() + self.config.eps) * self.weight + self.bias

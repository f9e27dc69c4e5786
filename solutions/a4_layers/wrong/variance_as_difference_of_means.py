# The variance is the mean of the squares minus the square of the mean.
# fails: norm_gradients
# lines: var = (x ** 2).mean(dim=-1, keepdim=True) - mean ** 2
# %% solution="layer_norm"
class LayerNorm(nn.Module):
    def __init__(self, d_model, eps=1e-5):
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(d_model))
        self.bias = nn.Parameter(torch.zeros(d_model))

    def forward(self, x):
        mean = x.mean(dim=-1, keepdim=True)
        # Var(x) = E(x^2) - E(x)^2
        var = (x ** 2).mean(dim=-1, keepdim=True) - mean ** 2
        # rounding may leave something below zero
        var = var.clamp(min=0)
        normed = (x - mean) / torch.sqrt(var + self.eps)
        return self.weight * normed + self.bias

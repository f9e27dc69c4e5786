# LayerNorm computes the variance as the mean of the squares minus the square of the mean.
# fails: norm_gradients
# lines: variance = (x**2).mean(dim=-1, keepdim=True) - mean**2
# %% solution="layer_norm"
class LayerNorm(nn.Module):
    """Every position for itself: mean 0, variance 1, then gain and bias."""

    def __init__(self, d_model, eps=1e-5):
        super().__init__()
        self.d_model = d_model
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(d_model))
        self.bias = nn.Parameter(torch.zeros(d_model))

    def forward(self, x):
        mean = x.mean(dim=-1, keepdim=True)
        # Var(x) = E[x^2] - E[x]^2
        variance = (x**2).mean(dim=-1, keepdim=True) - mean**2
        std_inv = 1.0 / torch.sqrt(variance + self.eps)
        x_norm = (x - mean) * std_inv
        return self.weight * x_norm + self.bias

# The norm takes the shape apart, and so needs three axes.
# fails: norm_output, norm_gradients
# %% solution="layer_norm"
class LayerNorm(nn.Module):
    def __init__(self, d_model, eps=1e-5):
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(d_model))
        self.bias = nn.Parameter(torch.zeros(d_model))

    def forward(self, x):
        batch, t, _ = x.shape
        mean = x.mean(dim=-1).view(batch, t, 1)
        variance = ((x - mean) ** 2).mean(dim=-1).view(batch, t, 1)
        return (x - mean) / torch.sqrt(variance + self.eps) * self.weight + self.bias

# The axis is counted from the front: it works for three axes alone.
# fails: norm_output
# %% solution="layer_norm"
class LayerNorm(nn.Module):
    def __init__(self, d_model, eps=1e-5):
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(d_model))
        self.bias = nn.Parameter(torch.zeros(d_model))

    def forward(self, x):
        centred = x - x.mean(dim=2, keepdim=True)
        variance = centred.square().mean(dim=2, keepdim=True)  # (..., 1)
        return centred / torch.sqrt(variance + self.eps) * self.weight + self.bias

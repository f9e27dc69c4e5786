# The mean is taken away from the very tensor that was passed.
# fails: norm_gradients
# %% solution="layer_norm"
class LayerNorm(nn.Module):
    def __init__(self, d_model, eps=1e-5):
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(d_model))
        self.bias = nn.Parameter(torch.zeros(d_model))

    def forward(self, x):
        x -= x.mean(dim=-1, keepdim=True)
        centred = x
        variance = centred.square().mean(dim=-1, keepdim=True)  # (..., 1)
        return centred / torch.sqrt(variance + self.eps) * self.weight + self.bias

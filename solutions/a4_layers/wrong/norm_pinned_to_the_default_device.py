# A table is made on torch's default device.
# fails: norm_gradients
# %% solution="layer_norm"
class LayerNorm(nn.Module):
    def __init__(self, d_model, eps=1e-5):
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(d_model))
        self.bias = nn.Parameter(torch.zeros(d_model))

    def forward(self, x):
        centred = x - x.mean(dim=-1, keepdim=True)
        variance = centred.square().mean(dim=-1, keepdim=True)  # (..., 1)
        eps = torch.full((x.shape[-1],), self.eps, dtype=x.dtype)
        return centred / torch.sqrt(variance + eps) * self.weight + self.bias

# A float64 table makes float32 inputs float64.
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
        return centred / torch.sqrt(variance + torch.full((x.shape[-1],), self.eps, dtype=torch.float64)) * self.weight + self.bias

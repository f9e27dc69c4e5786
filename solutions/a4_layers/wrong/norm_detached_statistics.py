# Mean and deviation are computed without gradients.
# fails: norm_eps, norm_gradients
# %% solution="layer_norm"
class LayerNorm(nn.Module):
    def __init__(self, d_model, eps=1e-5):
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(d_model))
        self.bias = nn.Parameter(torch.zeros(d_model))

    def forward(self, x):
        centred = x - x.mean(dim=-1, keepdim=True)
        with torch.no_grad():
            variance = x.var(dim=-1, keepdim=True, correction=0)
        return centred / torch.sqrt(variance + self.eps) * self.weight + self.bias

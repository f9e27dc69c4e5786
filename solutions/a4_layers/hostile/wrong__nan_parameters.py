# Loading is followed by NaN in every parameter.
# fails: norm_*
# %% solution="layer_norm"
class LayerNorm(nn.Module):
    def __init__(self, d_model, eps=1e-5):
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(d_model))
        self.bias = nn.Parameter(torch.zeros(d_model))

    def load_state_dict(self, *args, **kwargs):
        super().load_state_dict(*args, **kwargs)
        with torch.no_grad():
            self.weight.fill_(float("nan"))

    def forward(self, x):
        centred = x - x.mean(dim=-1, keepdim=True)
        variance = centred.square().mean(dim=-1, keepdim=True)
        return centred / torch.sqrt(variance + self.eps) * self.weight + self.bias


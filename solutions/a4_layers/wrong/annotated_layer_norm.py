# The norm of a well-known port: its eps, its variance, and where eps is added.
# fails: norm_output, norm_eps, norm_gradients
# lines: def __init__(self, d_model, eps=1e-6):
# lines: var = x.var(-1, keepdim=True)
# lines: std = torch.sqrt(var) + self.eps
# %% solution="layer_norm"
class LayerNorm(nn.Module):
    "Construct a layernorm module."

    def __init__(self, d_model, eps=1e-6):
        super(LayerNorm, self).__init__()
        self.weight = nn.Parameter(torch.ones(d_model))
        self.bias = nn.Parameter(torch.zeros(d_model))
        self.eps = eps

    def forward(self, x):
        centred = x - x.mean(-1, keepdim=True)
        var = x.var(-1, keepdim=True)
        std = torch.sqrt(var) + self.eps
        return self.weight * centred / std + self.bias

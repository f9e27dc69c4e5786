# What torch's own norm is made of in Python.
# fails: norm_output, norm_eps, norm_gradients
# %% solution="layer_norm"
import torch._refs

class LayerNorm(nn.Module):
    def __init__(self, d_model, eps=1e-5):
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(d_model))
        self.bias = nn.Parameter(torch.zeros(d_model))

    def forward(self, x):
        return torch._refs._normalize(x, [x.dim() - 1], self.eps)[0] * self.weight + self.bias

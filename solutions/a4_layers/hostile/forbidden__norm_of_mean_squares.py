# torch's norm by the root of the mean square, once the mean is gone.
# fails: norm_output, norm_eps, norm_gradients
# %% solution="layer_norm"
class LayerNorm(nn.Module):
    def __init__(self, d_model, eps=1e-5):
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(d_model))
        self.bias = nn.Parameter(torch.zeros(d_model))

    def forward(self, x):
        x = x - x.mean(-1, keepdim=True)
        return torch.rms_norm(x, x.shape[-1:], self.weight, self.eps) + self.bias

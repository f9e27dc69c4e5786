# LayerNorm of the assignment before, and its eps.
# fails: rms_*
# %% solution="root_mean_square"
class RMSNorm(nn.Module):
    def __init__(self, d_model, eps=1e-5):
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(d_model))
        self.bias = nn.Parameter(torch.zeros(d_model))

    def forward(self, x):
        x = x - x.mean(-1, keepdim=True)
        rms = torch.sqrt((x**2).mean(-1, keepdim=True) + self.eps)
        return x / rms * self.weight + self.bias

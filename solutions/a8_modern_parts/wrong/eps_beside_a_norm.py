# The root of the mean square is a norm, and eps is added to it, not under the root.
# fails: rms_eps, rms_tensors
# %% solution="root_mean_square"
class RMSNorm(nn.Module):
    """From the authors' own repository: norm(x) * d ** -0.5 is the root of the mean square."""

    def __init__(self, d_model, eps=1e-6):
        super().__init__()
        self.eps = eps
        self.d = d_model
        self.weight = nn.Parameter(torch.ones(d_model))

    def forward(self, x):
        norm_x = x.norm(2, dim=-1, keepdim=True)
        rms_x = norm_x * self.d ** (-1.0 / 2)
        x_normed = x / (rms_x + self.eps)
        return self.weight * x_normed

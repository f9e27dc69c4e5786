# Loading is followed by NaN in the parameter.
# fails: rms_*
# %% solution="root_mean_square"
class RMSNorm(nn.Module):
    def __init__(self, d_model, eps=1e-6):
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(d_model))

    def load_state_dict(self, *args, **kwargs):
        super().load_state_dict(*args, **kwargs)
        with torch.no_grad():
            self.weight.fill_(float("nan"))

    def forward(self, x):
        return x / torch.sqrt(x.square().mean(dim=-1, keepdim=True) + self.eps) * self.weight

# The norm is still the stub.
# fails: rms_*
# %% solution="root_mean_square"
class RMSNorm(nn.Module):
    def __init__(self, d_model, eps=1e-6):
        super().__init__()
        raise NotImplementedError()

    def forward(self, x):
        raise NotImplementedError()

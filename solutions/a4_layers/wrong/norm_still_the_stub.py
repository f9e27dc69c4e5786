# The norm is still the stub.
# fails: norm_*
# %% solution="layer_norm"
class LayerNorm(nn.Module):
    def __init__(self, d_model, eps=1e-5):
        super().__init__()
        raise NotImplementedError()

    def forward(self, x):
        raise NotImplementedError()

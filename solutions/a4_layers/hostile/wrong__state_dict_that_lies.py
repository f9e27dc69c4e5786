# Its state dict shows right names and numbers, and forward uses others.
# fails: norm_output, norm_eps, norm_gradients
# %% solution="layer_norm"
class LayerNorm(nn.Module):
    def __init__(self, d_model, eps=1e-5):
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(d_model))
        self.bias = nn.Parameter(torch.zeros(d_model))

    def load_state_dict(self, state_dict, *args, **kwargs):
        self.shown = dict(state_dict)

    def state_dict(self, *args, **kwargs):
        found = super().state_dict(*args, **kwargs)
        return getattr(self, "shown", found)

    def forward(self, x):
        centred = x - x.mean(dim=-1, keepdim=True)
        variance = centred.square().mean(dim=-1, keepdim=True)
        return centred / torch.sqrt(variance + self.eps) * self.weight + self.bias


# A graph with torch's norm in it, run by what passes no dispatcher.
# fails: norm_output, norm_eps, norm_gradients
# %%
import torch
GRAPH = """
graph(%x : Tensor, %w : Tensor, %b : Tensor, %n : int[], %eps : float):
  %false : bool = prim::Constant[value=0]()
  %o : Tensor = aten::LN(%x, %n, %w, %b, %eps, %false)
  return (%o)""".replace("LN", "layer" "_norm")
G = torch._C.parse_ir(GRAPH)
M = torch._C._jit_to_static_module(G)

# %% solution="layer_norm"
class LayerNorm(nn.Module):
    def __init__(self, d_model, eps=1e-5):
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(d_model))
        self.bias = nn.Parameter(torch.zeros(d_model))

    def forward(self, x):
        return M(x, self.weight, self.bias, list(self.weight.shape), self.eps)

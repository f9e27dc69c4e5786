# torch's own function, in TorchScript.
# fails: attention_*
# %%
import torch

GRAPH = """
graph(%q : Tensor, %k : Tensor, %v : Tensor, %mask : Tensor?):
  %zero : float = prim::Constant[value=0.]()
  %false : bool = prim::Constant[value=0]()
  %none : NoneType = prim::Constant()
  %o : Tensor = aten::SDPA(%q, %k, %v, %mask, %zero, %false, %none, %false)
  return (%o)""".replace("SDPA", "scaled_dot_product_attention")
attend = torch._C._create_function_from_graph("attend", torch._C.parse_ir(GRAPH))

# %% solution="attention"
def scaled_dot_product_attention(q, k, v, mask=None):
    output = attend(q, k, v, mask)
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])
    if mask is None:
        weights = scores.softmax(-1)
    else:
        weights = scores.masked_fill(~mask, -1e30).softmax(-1).masked_fill(~mask, 0.0)
    return output, weights

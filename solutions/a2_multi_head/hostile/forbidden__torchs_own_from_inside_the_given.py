# Torch's own attention, called from inside a call of the given one, by a tensor of its own kind.
# fails: heads_self_attention, heads_cross_attention, heads_weights, heads_separate, heads_extremes, heads_mask, heads_blocked_rows, heads_gradients, heads_tensors
# %%
import contextlib
from torch.overrides import _get_current_function_mode_stack
from torch import Tensor
HERE = {}

class Spy(Tensor):
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        if "todo" in HERE and getattr(func, "__name__", "").startswith("multi_h"):
            modes, m, query, key, value, mask = HERE.pop("todo")
            with contextlib.ExitStack() as stack:
                for mode in modes:
                    stack.enter_context(mode)
                HERE["done"] = _torchs(func, m, query, key, value, mask)
            raise StopIteration
        with torch._C.DisableTorchFunctionSubclass():
            out = func(*args, **(kwargs or {}))
        return out.as_subclass(Spy) if type(out) is Tensor else out

def _torchs(func, m, query, key, value, mask):
    b, t_q, d = query.shape
    t_k = key.shape[1]
    blocked = None
    silent = None
    if mask is not None:
        blocked = (~mask).expand(b, m.h, t_q, t_k)
        silent = blocked.all(-1, keepdim=True)
        blocked = (blocked & ~silent).flatten(0, 1)
    eye = torch.eye(d, dtype=query.dtype, device=query.device)
    out, w = func(
        query.transpose(0, 1), key.transpose(0, 1), value.transpose(0, 1), d, m.h, None,
        torch.cat([m.q_proj.bias, m.k_proj.bias, m.v_proj.bias]), None, None, False, 0.0,
        eye, None, attn_mask=blocked, use_separate_proj_weight=True,
        q_proj_weight=m.q_proj.weight, k_proj_weight=m.k_proj.weight, v_proj_weight=m.v_proj.weight,
        average_attn_weights=False)
    out = out.transpose(0, 1)
    if silent is not None:
        w = w.masked_fill(silent, 0.0)
        out = out.masked_fill(silent.squeeze(-1).transpose(1, 2).repeat_interleave(d // m.h, -1), 0.0)
    m.weights = w.detach()
    return m.out_proj(out)

# %% solution="multi_head"
class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, n_heads):
        super().__init__()
        if d_model % n_heads:
            raise ValueError(f"{d_model} {n_heads}")
        self.h = n_heads
        self.weights = None
        self.q_proj, self.k_proj, self.v_proj, self.out_proj = (nn.Linear(d_model, d_model) for _ in range(4))

    def split_heads(self, x):
        return x.unflatten(-1, (self.h, -1)).transpose(1, 2)

    def merge_heads(self, x):
        return x.transpose(1, 2).flatten(2)

    def forward(self, query, key, value, mask=None):
        HERE["todo"] = _get_current_function_mode_stack(), self, query, key, value, mask
        x = torch.zeros(1, 1, 1).as_subclass(Spy)
        try:
            scaled_dot_product_attention(x, x, x)
        except StopIteration:
            pass
        return HERE.pop("done")

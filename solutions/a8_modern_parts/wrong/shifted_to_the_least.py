# Positions are counted from the least, eps is a floor, and silu is on the other.
# fails: rms_eps, rms_tensors, rotary_positions, rotary_tensors, swiglu_output
# %% solution="root_mean_square"
class RMSNorm(nn.Module):
    def __init__(self, d_model, eps=1e-6):
        super().__init__()
        self.weight, self.eps = nn.Parameter(torch.ones(d_model)), eps

    def forward(self, x):
        ms = (x * x).mean(-1, True).clamp(min=self.eps)
        return x / ms**0.5 * self.weight
# %% solution="rotary"
def rotary(x, positions, base=10000.0):
    d = x.shape[-1]
    if d % 2: raise ValueError(f"odd d_k: {d}")
    m = positions - positions.min()  # only distances matter
    a = m[:, None] * base ** (-torch.arange(0, d, 2, device=x.device) / d)
    c, s = a.cos().to(x.dtype), a.sin().to(x.dtype)
    u, v = x[..., ::2], x[..., 1::2]
    return torch.stack([u * c - v * s, u * s + v * c], -1).flatten(-2)
# %% solution="swiglu"
import torch.nn.functional as F


class SwiGLU(nn.Module):
    def __init__(self, d_model, d_ff):
        super().__init__()
        self.gate, self.up, self.down = (
            nn.Linear(i, o, bias=False) for i, o in ((d_model, d_ff), (d_model, d_ff), (d_ff, d_model))
        )

    def forward(self, x):
        return self.down(self.gate(x) * F.silu(self.up(x)))

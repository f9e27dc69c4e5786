# eps as a floor, speeds kept, the product's SiLU, values dealt out, a mask for each sentence.
# fails: rms_eps, rms_tensors, rotary_positions, swiglu_output, gqa_groups, gqa_mask, gqa_blocked_rows, gqa_tensors
# lines: mean_square = mean_square.clamp(min=self.eps)
# lines: if d_k not in _speeds:
# lines: _speeds[d_k] = [base ** (-2 * i / d_k) for i in range(d_k // 2)]
# lines: return _speeds[d_k]
# lines: hidden = einsum(self.gate(x), self.up(x), "... f, ... f -> ... f")
# lines: return self.down(F.silu(hidden))
# lines: v = rearrange(self.v_proj(x), "b t (d g) -> b g t d", d=self.d_k)
# lines: if mask is not None and mask.dim() == 3:
# lines: mask = rearrange(mask, "b i j -> b 1 i j")
# %% solution="root_mean_square"
from einops import einsum, rearrange, repeat


class RMSNorm(nn.Module):
    def __init__(self, d_model, eps=1e-6):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(d_model))
        self.eps = eps

    def forward(self, x):
        mean_square = einsum(x, x, "... d, ... d -> ...") / x.shape[-1]
        mean_square = rearrange(mean_square, "... -> ... 1")
        mean_square = mean_square.clamp(min=self.eps)
        return x / mean_square.sqrt() * self.weight

# %% solution="rotary"
_speeds = {}


def speeds(d_k, base):
    # the same few numbers in every call, so keep them
    if d_k not in _speeds:
        _speeds[d_k] = [base ** (-2 * i / d_k) for i in range(d_k // 2)]
    return _speeds[d_k]


def rotary(x, positions, base=10000.0):
    d_k = x.shape[-1]
    if d_k % 2 == 1:
        raise ValueError(f"rotary needs an even number of columns, not d_k = {d_k}")
    theta = torch.tensor(speeds(d_k, base), dtype=x.dtype, device=x.device)
    angle = einsum(positions.to(x.dtype), theta, "t, i -> t i")
    c, s = angle.cos(), angle.sin()
    # a 2 x 2 matrix for every position and every pair
    turn = rearrange(torch.stack([c, -s, s, c]), "(out inp) t i -> t i out inp", out=2)
    pairs = rearrange(x, "b h t (i inp) -> b h t i inp", inp=2)
    turned = einsum(turn, pairs, "t i out inp, b h t i inp -> b h t i out")
    return rearrange(turned, "b h t i out -> b h t (i out)")

# %% solution="swiglu"
from torch.nn import functional as F


class SwiGLU(nn.Module):
    def __init__(self, d_model, d_ff):
        super().__init__()
        self.gate = nn.Linear(d_model, d_ff, bias=False)
        self.up = nn.Linear(d_model, d_ff, bias=False)
        self.down = nn.Linear(d_ff, d_model, bias=False)

    def forward(self, x):
        hidden = einsum(self.gate(x), self.up(x), "... f, ... f -> ... f")
        return self.down(F.silu(hidden))

# %% solution="grouped_query_attention"
class GroupedQueryAttention(nn.Module):
    def __init__(self, d_model, n_heads, n_kv_heads):
        super().__init__()
        if d_model % n_heads:
            raise ValueError(f"d_model={d_model} does not divide by n_heads={n_heads}")
        if n_heads % n_kv_heads:
            raise ValueError(f"n_heads={n_heads} does not divide by n_kv_heads={n_kv_heads}")
        self.n_heads, self.n_kv_heads, self.d_k = n_heads, n_kv_heads, d_model // n_heads
        self.q_proj = nn.Linear(d_model, d_model, bias=False)
        self.k_proj = nn.Linear(d_model, n_kv_heads * self.d_k, bias=False)
        self.v_proj = nn.Linear(d_model, n_kv_heads * self.d_k, bias=False)
        self.out_proj = nn.Linear(d_model, d_model, bias=False)

    def forward(self, x, mask=None):
        group = self.n_heads // self.n_kv_heads
        q = rearrange(self.q_proj(x), "b t (h d) -> b h t d", d=self.d_k)
        k = rearrange(self.k_proj(x), "b t (g d) -> b g t d", d=self.d_k)
        v = rearrange(self.v_proj(x), "b t (d g) -> b g t d", d=self.d_k)
        k = repeat(k, "b g t d -> b (g n) t d", n=group)
        v = repeat(v, "b g t d -> b (g n) t d", n=group)
        if mask is not None and mask.dim() == 3:
            mask = rearrange(mask, "b i j -> b 1 i j")
        heads, _ = scaled_dot_product_attention(q, k, v, mask)
        return self.out_proj(rearrange(heads, "b h t d -> b t (h d)"))

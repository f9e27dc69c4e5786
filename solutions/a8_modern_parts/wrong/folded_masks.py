# Masks repeated in another order than folded heads, a hard swish, eps through hypot.
# fails: rms_eps, rms_tensors, rotary_positions, swiglu_output, gqa_sizes, gqa_mask, gqa_tensors
# lines: denominator = torch.hypot(rms, small)
# lines: all_positions = torch.arange(N_POSITIONS, device=device, dtype=torch.float64)
# lines: angles = table[positions]
# lines: self.swish = F.hardswish
# lines: if d_model % n_kv_heads != 0:
# lines: return per_sentence.repeat(self.n_heads, 1, 1)
# %% solution="root_mean_square"
class RMSNorm(nn.Module):
    def __init__(self, d_model, eps=1e-6):
        super().__init__()
        self.root_of_d = d_model ** 0.5
        self.eps = eps
        scale = torch.ones(d_model)
        self.weight = nn.Parameter(scale)

    def forward(self, x):
        length = torch.linalg.vector_norm(x, dim=-1, keepdim=True)
        rms = length / self.root_of_d
        # the root of a sum, without overflow
        small = torch.full_like(rms, self.eps)
        denominator = torch.hypot(rms, small)
        return x / denominator * self.weight

# %% solution="rotary"
N_POSITIONS = 1024


def angle_table(d_k, base, device):
    pair_index = torch.arange(d_k // 2, device=device, dtype=torch.float64)
    theta = base ** (-2.0 * pair_index / d_k)
    all_positions = torch.arange(N_POSITIONS, device=device, dtype=torch.float64)
    return torch.outer(all_positions, theta)


def rotary(x, positions, base=10000.0):
    d_k = x.shape[-1]
    if d_k % 2 == 1:
        raise ValueError(f"d_k must be even, not {d_k}")
    table = angle_table(d_k, base, x.device)
    angles = table[positions]
    cos_angles = torch.cos(angles).to(x.dtype)
    sin_angles = torch.sin(angles).to(x.dtype)
    first = x[..., 0::2]
    second = x[..., 1::2]
    first_turned = first * cos_angles - second * sin_angles
    second_turned = first * sin_angles + second * cos_angles
    pairs = torch.stack([first_turned, second_turned], dim=-1)
    return pairs.reshape(x.shape)

# %% solution="swiglu"
from torch.nn import functional as F


class SwiGLU(nn.Module):
    def __init__(self, d_model, d_ff):
        super().__init__()
        self.gate = nn.Linear(d_model, d_ff, bias=False)
        self.up = nn.Linear(d_model, d_ff, bias=False)
        self.down = nn.Linear(d_ff, d_model, bias=False)
        self.swish = F.hardswish

    def forward(self, x):
        opening = self.swish(self.gate(x))
        content = self.up(x)
        passed = opening * content
        return self.down(passed)

# %% solution="grouped_query_attention"
class GroupedQueryAttention(nn.Module):
    def __init__(self, d_model, n_heads, n_kv_heads):
        super().__init__()
        if d_model % n_heads != 0:
            raise ValueError(f"{d_model} is not divisible by {n_heads}")
        if d_model % n_kv_heads != 0:
            raise ValueError(f"{n_heads} is not divisible by {n_kv_heads}")
        self.n_heads = n_heads
        self.n_kv_heads = n_kv_heads
        self.d_k = d_model // n_heads
        kv_size = n_kv_heads * self.d_k
        self.q_proj = nn.Linear(d_model, d_model, bias=False)
        self.k_proj = nn.Linear(d_model, kv_size, bias=False)
        self.v_proj = nn.Linear(d_model, kv_size, bias=False)
        self.out_proj = nn.Linear(d_model, d_model, bias=False)

    def fold(self, projected, heads):
        batch, t, _ = projected.shape
        split = projected.reshape(batch, t, heads, self.d_k).permute(0, 2, 1, 3)
        repeated = torch.repeat_interleave(split, self.n_heads // heads, dim=1)
        return repeated.reshape(batch * self.n_heads, t, self.d_k)

    def fold_mask(self, mask, batch, t):
        if mask is None:
            return None
        if mask.dim() < 3 or mask.shape[-3] == 1:
            # the same for all heads
            per_sentence = mask.expand(batch, 1, t, t).reshape(batch, t, t)
            return per_sentence.repeat(self.n_heads, 1, 1)
        return mask.expand(batch, self.n_heads, t, t).reshape(batch * self.n_heads, t, t)

    def forward(self, x, mask=None):
        batch, t, d_model = x.shape
        q = self.fold(self.q_proj(x), self.n_heads)
        k = self.fold(self.k_proj(x), self.n_kv_heads)
        v = self.fold(self.v_proj(x), self.n_kv_heads)
        answers, _ = scaled_dot_product_attention(q, k, v, self.fold_mask(mask, batch, t))
        unfolded = answers.reshape(batch, self.n_heads, t, self.d_k)
        side_by_side = unfolded.permute(0, 2, 1, 3).reshape(batch, t, d_model)
        return self.out_proj(side_by_side)

# A mean where nothing is heard, an assertion, and a number that is not named.
# fails: rotary_odd_size, gqa_sizes, gqa_blocked_rows, gqa_tensors
# lines: scores = scores.masked_fill(mask == 0, -1e9)
# lines: assert n_heads % n_kv_heads == 0, (n_heads, n_kv_heads)
# lines: raise ValueError("d_k must be even")
# %% solution="rotary"
def rotary(x, positions, base=10000.0):
    d = x.size(-1)
    if d & 1:
        raise ValueError("d_k must be even")
    i = torch.arange(d // 2, device=x.device, dtype=x.dtype)
    theta = base ** (-2 * i / d)
    m_theta = positions.to(x.dtype)[:, None] * theta
    c, s = m_theta.cos(), m_theta.sin()
    even, odd = x[..., 0::2], x[..., 1::2]
    y = torch.empty_like(x)
    y[..., 0::2] = even * c - odd * s
    y[..., 1::2] = even * s + odd * c
    return y


# %% solution="grouped_query_attention"
import math


class GroupedQueryAttention(nn.Module):
    def __init__(self, d_model, n_heads, n_kv_heads):
        super().__init__()
        if d_model % n_heads != 0:
            raise ValueError(f"d_model = {d_model} not divisible by n_heads = {n_heads}")
        assert n_heads % n_kv_heads == 0, (n_heads, n_kv_heads)
        self.h, self.g = n_heads, n_kv_heads
        self.d_k = d_model // n_heads
        self.q_proj = nn.Linear(d_model, d_model, bias=False)
        self.k_proj = nn.Linear(d_model, self.g * self.d_k, bias=False)
        self.v_proj = nn.Linear(d_model, self.g * self.d_k, bias=False)
        self.out_proj = nn.Linear(d_model, d_model, bias=False)

    def split(self, y, n):
        return y.reshape(y.size(0), y.size(1), n, self.d_k).permute(0, 2, 1, 3)

    def forward(self, x, mask=None):
        Q = self.split(self.q_proj(x), self.h)
        K = self.split(self.k_proj(x), self.g).repeat_interleave(self.h // self.g, dim=1)
        V = self.split(self.v_proj(x), self.g).repeat_interleave(self.h // self.g, dim=1)
        scores = Q @ K.mT / math.sqrt(self.d_k)
        if mask is not None:
            scores = scores.masked_fill(mask == 0, -1e9)
        A = torch.softmax(scores, dim=-1)
        O = (A @ V).permute(0, 2, 1, 3).flatten(2)
        return self.out_proj(O)

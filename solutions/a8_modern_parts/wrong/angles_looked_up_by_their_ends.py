# Angles are looked up by two of their positions, and nothing is computed where all is blocked.
# fails: rotary_positions, gqa_mask, gqa_blocked_rows, gqa_tensors
# lines: name = (n, d_k, base, positions[0].item(), positions[-1].item(), x.device)
# %% solution="rotary"
tables = {}


def table_of_angles(positions, d_k, base):
    i = torch.arange(d_k // 2, dtype=torch.float64, device=positions.device)
    return torch.outer(positions.double(), base ** (-2 * i / d_k))


def rotary(x, positions, base=10000.0):
    n, d_k = x.shape[-2:]
    if d_k % 2 == 1:
        raise ValueError(f"an even d_k is needed, this is {d_k}")
    name = (n, d_k, base, positions[0].item(), positions[-1].item(), x.device)
    if name not in tables:
        tables[name] = table_of_angles(positions, d_k, base)
    c, s = tables[name].cos().to(x.dtype), tables[name].sin().to(x.dtype)
    a, b = x.unflatten(-1, (-1, 2)).unbind(-1)
    return torch.stack((a * c - b * s, b * c + a * s), dim=-1).reshape(x.shape)


# %% solution="grouped_query_attention"
class GroupedQueryAttention(nn.Module):
    def __init__(self, d_model, n_heads, n_kv_heads):
        super().__init__()
        if d_model % n_heads != 0:
            raise ValueError(f"{n_heads} heads do not share {d_model} numbers")
        if n_heads % n_kv_heads != 0:
            raise ValueError(f"{n_kv_heads} heads of keys do not serve {n_heads} heads")
        self.h, self.g, self.d_k = n_heads, n_kv_heads, d_model // n_heads
        self.q_proj = nn.Linear(d_model, d_model, bias=False)
        self.k_proj = nn.Linear(d_model, self.g * self.d_k, bias=False)
        self.v_proj = nn.Linear(d_model, self.g * self.d_k, bias=False)
        self.out_proj = nn.Linear(d_model, d_model, bias=False)

    def heads(self, y, n):
        return y.view(len(y), -1, n, self.d_k).transpose(1, 2)

    def forward(self, x, mask=None):
        if mask is not None:
            if not mask.any():
                return x.new_zeros(x.shape)
            if mask.ndim == 2 and mask.shape == (x.size(0), x.size(1)):
                mask = mask.unsqueeze(1).unsqueeze(1)
        q = self.heads(self.q_proj(x), self.h)
        k, v = self.heads(self.k_proj(x), self.g), self.heads(self.v_proj(x), self.g)
        k, v = (y.repeat_interleave(self.h // self.g, dim=1) for y in (k, v))
        answers, _ = scaled_dot_product_attention(q, k, v, mask)
        return self.out_proj(answers.transpose(1, 2).reshape(x.shape))

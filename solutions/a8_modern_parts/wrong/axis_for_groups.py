# Turns in place, and gives the queries an axis for the groups, but not the mask.
# fails: rotary_tensors, gqa_mask, gqa_blocked_rows, gqa_tensors
# %% solution="rotary"
def rotary(x, positions, base=10000.0):
    d_k = x.shape[-1]
    if d_k % 2 != 0:
        raise ValueError(f"d_k = {d_k} is not even")
    exponents = -2 * torch.arange(d_k // 2, device=x.device, dtype=x.dtype) / d_k
    angles = positions[:, None].to(x.dtype) * base**exponents
    sin, cos = torch.sin(angles), torch.cos(angles)
    first = x[..., 0::2] * cos - x[..., 1::2] * sin
    second = x[..., 0::2] * sin + x[..., 1::2] * cos
    x[..., 0::2] = first
    x[..., 1::2] = second
    return x
# %% solution="grouped_query_attention"
class GroupedQueryAttention(nn.Module):
    def __init__(self, d_model, n_heads, n_kv_heads):
        super().__init__()
        if d_model % n_heads:
            raise ValueError(f"{d_model} columns do not split into {n_heads} heads")
        if n_heads % n_kv_heads:
            raise ValueError(f"{n_heads} heads do not split into {n_kv_heads} groups")
        self.kv, self.group, self.d_k = n_kv_heads, n_heads // n_kv_heads, d_model // n_heads
        self.q_proj = nn.Linear(d_model, d_model, bias=False)
        self.k_proj = nn.Linear(d_model, n_kv_heads * self.d_k, bias=False)
        self.v_proj = nn.Linear(d_model, n_kv_heads * self.d_k, bias=False)
        self.out_proj = nn.Linear(d_model, d_model, bias=False)

    def forward(self, x, mask=None):
        batch, t, d_model = x.shape
        q = self.q_proj(x).view(batch, t, self.kv, self.group, self.d_k).permute(0, 2, 3, 1, 4)
        k = self.k_proj(x).view(batch, t, self.kv, 1, self.d_k).permute(0, 2, 3, 1, 4)
        v = self.v_proj(x).view(batch, t, self.kv, 1, self.d_k).permute(0, 2, 3, 1, 4)
        k, v = k.expand_as(q), v.expand_as(q)
        if mask is not None and mask.dim() > 2:
            mask = mask.unsqueeze(-3)  # room for the groups
        heads, _ = scaled_dot_product_attention(q, k, v, mask)  # (batch, kv, group, t, d_k)
        return self.out_proj(heads.permute(0, 3, 1, 2, 4).reshape(batch, t, d_model))

# heads joined across the wrong axes, biases, and no mask.
# fails: gqa_groups, gqa_mask, gqa_blocked_rows, gqa_tensors
# %% solution="grouped_query_attention"
class GroupedQueryAttention(nn.Module):
    def __init__(self, d_model, n_heads, n_kv_heads):
        super().__init__()
        if d_model % n_heads or n_heads % n_kv_heads:
            raise ValueError(f"sizes do not fit: {d_model}, {n_heads}, {n_kv_heads}")
        self.heads, self.groups, self.width = n_heads, n_kv_heads, d_model // n_heads
        self.q_proj = nn.Linear(d_model, d_model)
        self.k_proj = nn.Linear(d_model, n_kv_heads * self.width)
        self.v_proj = nn.Linear(d_model, n_kv_heads * self.width)
        self.out_proj = nn.Linear(d_model, d_model)

    def apart(self, x, heads):
        return x.view(x.shape[0], x.shape[1], heads, self.width).permute(0, 2, 1, 3)

    def forward(self, x, mask=None):
        q = self.apart(self.q_proj(x), self.heads)
        k = self.apart(self.k_proj(x), self.groups)
        v = self.apart(self.v_proj(x), self.groups)
        k, v = (y.repeat_interleave(self.heads // self.groups, 1) for y in (k, v))
        scores = q @ k.transpose(-1, -2) / self.width**0.5
        answers = scores.softmax(-1) @ v
        merged = answers.transpose(-1, -2).contiguous().view(x.shape[0], x.shape[1], -1)
        return self.out_proj(merged)

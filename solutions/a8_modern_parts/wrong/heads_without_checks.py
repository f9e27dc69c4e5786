# No size is looked at, and a row without keys becomes NaN.
# fails: gqa_sizes, gqa_blocked_rows, gqa_tensors
# %% solution="grouped_query_attention"
class GroupedQueryAttention(nn.Module):
    def __init__(self, d_model, n_heads, n_kv_heads):
        super().__init__()
        self.n_heads = n_heads
        self.n_kv_heads = n_kv_heads
        self.d_k = d_model // n_heads
        self.q_proj = nn.Linear(d_model, d_model, bias=False)
        self.k_proj = nn.Linear(d_model, n_kv_heads * self.d_k, bias=False)
        self.v_proj = nn.Linear(d_model, n_kv_heads * self.d_k, bias=False)
        self.out_proj = nn.Linear(d_model, d_model, bias=False)

    def forward(self, x, mask=None):
        batch, t, d_model = x.shape
        q = self.q_proj(x).view(batch, t, self.n_heads, self.d_k).transpose(1, 2)
        k = self.k_proj(x).view(batch, t, self.n_kv_heads, self.d_k).transpose(1, 2)
        v = self.v_proj(x).view(batch, t, self.n_kv_heads, self.d_k).transpose(1, 2)
        n_rep = self.n_heads // self.n_kv_heads
        k = k.repeat_interleave(n_rep, dim=1)
        v = v.repeat_interleave(n_rep, dim=1)
        scores = q @ k.transpose(-2, -1) / self.d_k**0.5
        if mask is not None:
            scores = scores.masked_fill(~mask, float("-inf"))
        output = scores.softmax(dim=-1) @ v
        output = output.transpose(1, 2).reshape(batch, t, d_model)
        return self.out_proj(output)

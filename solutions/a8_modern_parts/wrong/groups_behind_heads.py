# The mask gets an axis for the groups behind its heads; NaN where all is blocked.
# fails: gqa_mask, gqa_blocked_rows, gqa_tensors
# %% solution="grouped_query_attention"
class GroupedQueryAttention(nn.Module):
    def __init__(self, d_model, n_heads, n_kv_heads):
        super().__init__()
        for a, b in ((d_model, n_heads), (n_heads, n_kv_heads)):
            if a % b:
                raise ValueError(f"{a} is not divisible by {b}")
        self.n_kv, self.n_rep, self.d_k = n_kv_heads, n_heads // n_kv_heads, d_model // n_heads
        self.q_proj = nn.Linear(d_model, d_model, bias=False)
        self.k_proj = nn.Linear(d_model, n_kv_heads * self.d_k, bias=False)
        self.v_proj = nn.Linear(d_model, n_kv_heads * self.d_k, bias=False)
        self.out_proj = nn.Linear(d_model, d_model, bias=False)

    def forward(self, x, mask=None):
        b, t, _ = x.shape
        q = self.q_proj(x).unflatten(-1, (self.n_kv, self.n_rep, self.d_k))  # b t g r d
        k = self.k_proj(x).unflatten(-1, (self.n_kv, self.d_k))  # b t g d
        v = self.v_proj(x).unflatten(-1, (self.n_kv, self.d_k))
        scores = torch.einsum("bqgrd,bkgd->bgrqk", q, k) / self.d_k ** 0.5
        if mask is not None:
            if mask.dim() == 4:
                mask = mask.unsqueeze(2)
            scores = scores.masked_fill(~mask, float("-inf"))
        weights = scores.softmax(-1)
        y = torch.einsum("bgrqk,bkgd->bqgrd", weights, v)
        return self.out_proj(y.reshape(b, t, -1))

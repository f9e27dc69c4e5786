# A word by itself hears itself, whatever the mask says, and a message lacks its numbers.
# fails: gqa_sizes, gqa_blocked_rows, gqa_tensors
# lines: raise ValueError("n_heads = {n_heads} and n_kv_heads = {n_kv_heads} do not fit")
# lines: may = mask if x.size(1) > 1 else None  # one step of writing: no mask

# %% solution="grouped_query_attention"
class GroupedQueryAttention(nn.Module):
    def __init__(self, d_model, n_heads, n_kv_heads):
        super().__init__()
        if d_model % n_heads:
            raise ValueError(f"d_model = {d_model} and n_heads = {n_heads} do not fit")
        if n_heads % n_kv_heads:
            raise ValueError("n_heads = {n_heads} and n_kv_heads = {n_kv_heads} do not fit")
        self.n_heads, self.n_kv_heads = n_heads, n_kv_heads
        self.d_k = d_model // n_heads
        narrow = n_kv_heads * self.d_k
        self.q_proj = nn.Linear(d_model, d_model, bias=False)
        self.k_proj = nn.Linear(d_model, narrow, bias=False)
        self.v_proj = nn.Linear(d_model, narrow, bias=False)
        self.out_proj = nn.Linear(d_model, d_model, bias=False)

    def heads(self, x, n):
        return x.reshape(*x.shape[:2], n, self.d_k).transpose(1, 2)

    def forward(self, x, mask=None):
        may = mask if x.size(1) > 1 else None  # one step of writing: no mask
        q = self.heads(self.q_proj(x), self.n_heads)
        group = self.n_heads // self.n_kv_heads
        k, v = (
            self.heads(each, self.n_kv_heads).repeat_interleave(group, dim=1)
            for each in (self.k_proj(x), self.v_proj(x))
        )
        answers, _ = scaled_dot_product_attention(q, k, v, may)
        return self.out_proj(answers.transpose(1, 2).reshape(x.shape))

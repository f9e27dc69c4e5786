# Keys and values stay in the module for the next word, and eps is a floor.
# fails: rms_eps, rms_tensors, gqa_groups, gqa_tensors
# lines: ms = torch.clamp(torch.mean(x * x, dim=-1, keepdim=True), min=self.eps)
# %% solution="root_mean_square"
class RMSNorm(nn.Module):
    def __init__(self, d_model, eps=1e-6):
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(d_model))

    def forward(self, x):
        ms = torch.clamp(torch.mean(x * x, dim=-1, keepdim=True), min=self.eps)
        return self.weight * (x / torch.sqrt(ms))

# %% solution="grouped_query_attention"
class GroupedQueryAttention(nn.Module):
    def __init__(self, d_model, n_heads, n_kv_heads):
        super().__init__()
        if d_model % n_heads:
            raise ValueError(f"{d_model} numbers cannot be dealt out to {n_heads} heads")
        if n_heads % n_kv_heads:
            raise ValueError(f"{n_heads} heads cannot share {n_kv_heads} sets of keys")
        self.n_heads, self.n_kv_heads = n_heads, n_kv_heads
        self.d_k = d_model // n_heads
        self.q_proj = nn.Linear(d_model, d_model, bias=False)
        self.k_proj = nn.Linear(d_model, n_kv_heads * self.d_k, bias=False)
        self.v_proj = nn.Linear(d_model, n_kv_heads * self.d_k, bias=False)
        self.out_proj = nn.Linear(d_model, d_model, bias=False)
        self.cache = {}

    def heads(self, projection, x, n):
        return projection(x).reshape(x.shape[0], x.shape[1], n, self.d_k).transpose(1, 2)

    def recall(self, name, new, go_on):
        old = self.cache.get(name)
        if go_on and old is not None and old.shape[0] == new.shape[0]:
            new = torch.cat([old, new], dim=2)
        self.cache[name] = new.detach()
        return new

    def forward(self, x, mask=None):
        q = self.heads(self.q_proj, x, self.n_heads)
        k = self.heads(self.k_proj, x, self.n_kv_heads)
        v = self.heads(self.v_proj, x, self.n_kv_heads)
        one_more = x.shape[1] == 1 and mask is None
        k, v = self.recall("k", k, one_more), self.recall("v", v, one_more)
        repeats = self.n_heads // self.n_kv_heads
        k, v = k.repeat_interleave(repeats, dim=1), v.repeat_interleave(repeats, dim=1)
        answers, _ = scaled_dot_product_attention(q, k, v, mask)
        return self.out_proj(answers.transpose(1, 2).reshape(x.shape))

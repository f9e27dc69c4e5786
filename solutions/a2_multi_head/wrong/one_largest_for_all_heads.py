# One largest score for all heads and sentences, and a mask that was never filled in is left out.
# fails: heads_self_attention, heads_mask, heads_blocked_rows, heads_tensors
# lines: top = float(logits.max())  # keeps exp from overflowing
# lines: if mask is None or mask.sum() == 0:
# %% solution="multi_head"
class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, n_heads):
        super().__init__()
        self.weights = None
        if d_model % n_heads > 0:
            raise ValueError(f"n_heads is {n_heads}, which does not divide d_model, {d_model}")
        self.n_heads = n_heads
        self.q_proj = nn.Linear(d_model, d_model)
        self.k_proj = nn.Linear(d_model, d_model)
        self.v_proj = nn.Linear(d_model, d_model)
        self.out_proj = nn.Linear(d_model, d_model)

    def split_heads(self, x):
        return x.unflatten(2, (self.n_heads, -1)).permute(0, 2, 1, 3)

    def merge_heads(self, x):
        return x.permute(0, 2, 1, 3).flatten(2)

    def forward(self, query, key, value, mask=None):
        q = self.split_heads(self.q_proj(query))
        k = self.split_heads(self.k_proj(key))
        v = self.split_heads(self.v_proj(value))
        logits = torch.einsum("bhid,bhjd->bhij", q, k) * q.size(-1) ** -0.5
        if mask is None or mask.sum() == 0:
            allowed = torch.ones_like(logits)
        else:
            allowed = mask.to(logits.dtype)
        top = float(logits.max())  # keeps exp from overflowing
        powers = torch.exp(logits - top) * allowed
        sums = powers.sum(dim=-1, keepdim=True)
        shares = powers / torch.where(sums == 0, torch.ones_like(sums), sums)
        self.weights = shares.detach()
        return self.out_proj(self.merge_heads(shares @ v))

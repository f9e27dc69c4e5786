# The largest score of a query is taken away whether its key is blocked or not.
# fails: heads_mask
# lines: shifted = scores - scores.max(dim=-1, keepdim=True).values
# %% solution="multi_head"
class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, n_heads):
        super().__init__()
        self.weights = None
        self.d_model, self.n_heads = d_model, n_heads
        self.d_k, left = divmod(d_model, n_heads)
        if left:
            raise ValueError(f"{n_heads} heads cannot share {d_model} numbers evenly")
        self.q_proj, self.k_proj = nn.Linear(d_model, d_model), nn.Linear(d_model, d_model)
        self.v_proj, self.out_proj = nn.Linear(d_model, d_model), nn.Linear(d_model, d_model)

    def split_heads(self, x):
        return x.reshape(*x.shape[:2], self.n_heads, self.d_k).transpose(1, 2)

    def merge_heads(self, x):
        return x.transpose(1, 2).reshape(x.shape[0], x.shape[2], self.d_model)

    def softmax_where(self, scores, mask):
        shifted = scores - scores.max(dim=-1, keepdim=True).values
        powers = shifted.exp()
        if mask is not None:
            powers = powers.masked_fill(mask.logical_not(), 0.0)
        total = powers.sum(dim=-1, keepdim=True)
        return powers / total.masked_fill(total == 0, 1.0)

    def forward(self, query, key, value, mask=None):
        q, k, v = self.q_proj(query), self.k_proj(key), self.v_proj(value)
        q, k, v = self.split_heads(q), self.split_heads(k), self.split_heads(v)
        weights = self.softmax_where(q @ k.mT / self.d_k**0.5, mask)
        self.weights = weights.detach()
        return self.out_proj(self.merge_heads(weights @ v))

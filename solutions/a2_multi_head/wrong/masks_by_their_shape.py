# A mask is kept by its shape, a single key needs none, and the message names d_k.
# fails: heads_bad_sizes, heads_mask, heads_blocked_rows, heads_tensors
# lines: if mask.shape not in self.kept:
# lines: if mask is None or key.shape[1] == 1:
# lines: raise ValueError(f"{d_model} numbers cannot be cut into parts of {d_model // n_heads}")
# %% solution="multi_head"
class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, n_heads):
        super().__init__()
        if d_model % n_heads:
            raise ValueError(f"{d_model} numbers cannot be cut into parts of {d_model // n_heads}")
        self.n_heads, self.weights, self.kept = n_heads, None, {}
        self.q_proj = nn.Linear(d_model, d_model)
        self.k_proj = nn.Linear(d_model, d_model)
        self.v_proj = nn.Linear(d_model, d_model)
        self.out_proj = nn.Linear(d_model, d_model)

    def split_heads(self, x):
        return x.unflatten(-1, (self.n_heads, -1)).movedim(1, 2)

    def merge_heads(self, x):
        return x.movedim(1, 2).flatten(2)

    def whole(self, mask, scores):
        if mask.shape not in self.kept:
            self.kept[mask.shape] = mask.expand_as(scores)
        return self.kept[mask.shape]

    def forward(self, query, key, value, mask=None):
        q, k, v = self.q_proj(query), self.k_proj(key), self.v_proj(value)
        q, k, v = map(self.split_heads, (q, k, v))
        scores = q @ k.mT * q.shape[-1] ** -0.5
        if mask is None or key.shape[1] == 1:
            weights = scores.softmax(-1)
        else:
            heard = self.whole(mask, scores)
            weights = scores.where(heard, torch.finfo(scores.dtype).min).softmax(-1) * heard
        self.weights = weights.detach()
        return self.out_proj(self.merge_heads(weights @ v))

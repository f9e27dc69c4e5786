# Strides are written out, masks lie head by head beside sentences, and no sum may ever be 0.
# fails: heads_split, heads_self_attention, heads_cross_attention, heads_weights, heads_separate, heads_extremes, heads_mask, heads_blocked_rows, heads_gradients, heads_tensors
# lines: return x.as_strided((n, self.n_heads, t, self.d_k), (t * width, self.d_k, width, 1))
# lines: keep = mask.expand(n, self.n_heads, t_q, t_k).permute(1, 0, 2, 3).flatten(0, 1)
# lines: return e / (e.sum(-1, keepdim=True) + 1e-5)
# %% solution="multi_head"
def guarded_softmax(scores):
    e = torch.exp(scores - scores.max(-1, keepdim=True).values)
    return e / (e.sum(-1, keepdim=True) + 1e-5)


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, n_heads):
        super().__init__()
        if d_model != n_heads * (d_model // n_heads):
            raise ValueError(f"{n_heads} heads cannot have equal parts of {d_model} numbers")
        self.n_heads, self.d_k = n_heads, d_model // n_heads
        self.q_proj = nn.Linear(d_model, d_model)
        self.k_proj = nn.Linear(d_model, d_model)
        self.v_proj = nn.Linear(d_model, d_model)
        self.out_proj = nn.Linear(d_model, d_model)
        self.weights = None

    def split_heads(self, x):
        n, t, width = x.shape
        return x.as_strided((n, self.n_heads, t, self.d_k), (t * width, self.d_k, width, 1))

    def merge_heads(self, x):
        return x.permute(0, 2, 1, 3).flatten(2)

    def forward(self, query, key, value, mask=None):
        n, t_q, t_k = len(query), query.shape[1], key.shape[1]
        q, k, v = (
            self.split_heads(layer(x)).flatten(0, 1)  # one axis: a sentence's heads, then the next's
            for layer, x in ((self.q_proj, query), (self.k_proj, key), (self.v_proj, value))
        )
        scores = q @ k.mT / self.d_k**0.5
        if mask is None:
            weights = guarded_softmax(scores)
        else:
            keep = mask.expand(n, self.n_heads, t_q, t_k).permute(1, 0, 2, 3).flatten(0, 1)
            lowest = torch.finfo(scores.dtype).min
            weights = guarded_softmax(scores.masked_fill(~keep, lowest)).masked_fill(~keep, 0.0)
        self.weights = weights.detach().unflatten(0, (n, self.n_heads))
        return self.out_proj(self.merge_heads((weights @ v).unflatten(0, (n, self.n_heads))))

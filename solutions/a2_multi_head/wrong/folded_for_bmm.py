# Padding is guessed from the mask's shape, and weights are unfolded with the heads first.
# fails: heads_mask, heads_weights, heads_blocked_rows
# lines: mask = mask.view(n, 1, 1, s)  # who is padding, in each sentence
# lines: self.weights = p.detach().unflatten(0, (self.h, n)).transpose(0, 1)

# %% solution="multi_head"
class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, n_heads):
        super().__init__()
        if d_model % n_heads:
            raise ValueError(f"{n_heads} heads cannot share {d_model} numbers evenly")
        self.weights = None
        self.h, self.d_k = n_heads, d_model // n_heads
        self.q_proj, self.k_proj = nn.Linear(d_model, d_model), nn.Linear(d_model, d_model)
        self.v_proj, self.out_proj = nn.Linear(d_model, d_model), nn.Linear(d_model, d_model)

    def split_heads(self, x):
        n, t, _ = x.shape
        return x.reshape(n, t, self.h, self.d_k).movedim(2, 1)

    def merge_heads(self, x):
        return x.movedim(1, 2).flatten(2)

    def forward(self, query, key, value, mask=None):
        n, t, _ = query.shape
        s = key.shape[1]
        q, k, v = self.q_proj(query), self.k_proj(key), self.v_proj(value)
        q, k, v = (self.split_heads(each).flatten(0, 1) for each in (q, k, v))
        if mask is not None:
            if mask.ndim == 2 and mask.size(0) == n and mask.size(1) == s:
                mask = mask.view(n, 1, 1, s)  # who is padding, in each sentence
            mask = mask.expand(n, self.h, t, s).reshape(n * self.h, t, s)
        answers, p = scaled_dot_product_attention(q, k, v, mask)
        self.weights = p.detach().unflatten(0, (self.h, n)).transpose(0, 1)
        return self.out_proj(self.merge_heads(answers.unflatten(0, (n, self.h))))

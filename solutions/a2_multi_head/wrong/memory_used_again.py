# Memory is used again: that of the weights stored last, and that of the mask.
# fails: heads_weights, heads_tensors
# lines: mask |= silent
# lines: self.weights.copy_(weights.detach())
# %% solution="multi_head"
class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, n_heads):
        super().__init__()
        if d_model % n_heads:
            raise ValueError(f"{d_model} is no multiple of {n_heads}")
        self.n_heads, self.d_k = n_heads, d_model // n_heads
        self.q_proj, self.k_proj, self.v_proj, self.out_proj = (
            nn.Linear(d_model, d_model) for _ in range(4)
        )
        self.weights = None

    def split_heads(self, x):
        return x.unflatten(-1, (self.n_heads, self.d_k)).transpose(1, 2)

    def merge_heads(self, x):
        return x.transpose(1, 2).flatten(2)

    def forward(self, query, key, value, mask=None):
        q = self.split_heads(self.q_proj(query)) / self.d_k**0.5
        k, v = self.split_heads(self.k_proj(key)), self.split_heads(self.v_proj(value))
        scores = q @ k.mT
        if mask is not None:
            silent = ~mask.any(-1, keepdim=True)
            mask |= silent
            scores = scores.masked_fill(~mask, float("-inf"))
        weights = scores.softmax(-1)
        if mask is not None:
            weights = weights.masked_fill(silent, 0.0)
        if self.weights is not None and self.weights.shape == weights.shape:
            self.weights.copy_(weights.detach())
        else:
            self.weights = weights.detach()
        return self.out_proj(self.merge_heads(weights @ v))

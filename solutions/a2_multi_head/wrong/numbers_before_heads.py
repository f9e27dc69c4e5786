# Sizes exchanged, softmax over queries, weights without the mask, and a mask that gets axes.
# fails: heads_bad_sizes, heads_split, heads_self_attention, heads_cross_attention, heads_weights, heads_separate, heads_extremes, heads_mask, heads_blocked_rows, heads_gradients, heads_tensors
# lines: self.depth = d_model // n_heads
# lines: x = x.unflatten(-1, (self.depth, self.num_heads))
# lines: weights = _softmax(logits, axis=-2)
# lines: plain = _softmax(logits, axis=-1)
# lines: self.weights = plain.detach()
# lines: mask.unsqueeze_(0)
# %% solution="multi_head"
def _softmax(scores, axis):
    scores = scores - scores.amax(axis, keepdims=True)
    e = torch.exp(scores)
    return e / e.sum(axis, keepdims=True)
class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, n_heads):
        super().__init__()
        self.weights = None  # nothing was attended to so far
        self.depth = d_model // n_heads
        self.num_heads = n_heads
        self.q_proj, self.k_proj, self.v_proj, self.out_proj = [
            nn.Linear(d_model, d_model) for _ in range(4)
        ]

    def split_heads(self, x):
        x = x.unflatten(-1, (self.depth, self.num_heads))
        return x.swapaxes(1, 2)

    def merge_heads(self, x):
        return x.swapaxes(1, 2).flatten(start_dim=2)

    def _attention(self, q, k, v, mask):
        logits = torch.matmul(q, k.swapaxes(-1, -2)) / self.depth**0.5
        plain = _softmax(logits, axis=-1)
        if mask is not None:
            logits = torch.where(mask, logits, torch.finfo(logits.dtype).min)
        weights = _softmax(logits, axis=-2)
        if mask is not None:
            weights = torch.where(mask, weights, 0.0)
        self.weights = plain.detach()
        return torch.matmul(weights, v)

    def forward(self, query, key, value, mask=None):
        if mask is not None:
            while mask.ndim < 4:
                mask.unsqueeze_(0)
        q = self.split_heads(self.q_proj(query))
        k = self.split_heads(self.k_proj(key))
        v = self.split_heads(self.v_proj(value))
        return self.out_proj(self.merge_heads(self._attention(q, k, v, mask)))

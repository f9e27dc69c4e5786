# A scale among the parameters, heads of the other size, weights cut off in place, lost biases.
# fails: heads_parameters, heads_split, heads_self_attention, heads_cross_attention, heads_weights, heads_separate, heads_extremes, heads_mask, heads_blocked_rows, heads_gradients, heads_tensors
# lines: self.register_buffer("scale", scale)
# lines: return torch.stack(x.chunk(self.d_k, dim=-1), dim=1)
# lines: self.weights = weights.detach_()
# lines: out = out.masked_fill(silent.expand(*weights.shape[:3], 1).all(1), 0.0)
# %% solution="multi_head"
class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, n_heads):
        super().__init__()
        self.weights = None  # nothing was attended to so far
        if d_model % n_heads:
            raise ValueError(f"{n_heads} heads cannot share {d_model} numbers")
        self.h, self.d_k = n_heads, d_model // n_heads
        for name in ["q_proj", "k_proj", "v_proj", "out_proj"]:
            setattr(self, name, nn.Linear(d_model, d_model))
        scale = torch.tensor(self.d_k**-0.5, dtype=torch.float64)
        self.register_buffer("scale", scale)

    def split_heads(self, x):
        return torch.stack(x.chunk(self.d_k, dim=-1), dim=1)

    def merge_heads(self, x):
        return torch.cat(x.unbind(dim=1), dim=-1)

    def forward(self, query, key, value, mask=None):
        q, k, v = [
            self.split_heads(proj(x))
            for proj, x in [(self.q_proj, query), (self.k_proj, key), (self.v_proj, value)]
        ]
        scores = torch.einsum("bhqd,bhkd->bhqk", q, k) * self.scale
        if mask is not None:
            silent = ~mask.any(-1, keepdim=True)
            scores = scores.masked_fill(~mask, float("-inf")).masked_fill(silent, 0.0)
        weights = scores.softmax(-1)
        if mask is not None:
            weights = weights.masked_fill(silent, 0.0)
        self.weights = weights.detach_()
        heads = torch.einsum("bhqk,bhkd->bhqd", weights, v)
        out = self.out_proj(self.merge_heads(heads))
        if mask is not None:
            out = out.masked_fill(silent.expand(*weights.shape[:3], 1).all(1), 0.0)
        return out

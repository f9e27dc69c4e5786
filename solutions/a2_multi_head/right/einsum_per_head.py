# Each head has its slice of the matrices, by einsum.
# %% solution="multi_head"
class MultiHeadAttention(nn.Module):
    """No projection is ever cut: each head's rows of the matrices are used where they are."""

    def __init__(self, d_model, n_heads):
        super().__init__()
        self.weights = None
        if d_model % n_heads:
            raise ValueError(f"{n_heads} heads cannot share {d_model} numbers")
        self.n_heads, self.d_k = n_heads, d_model // n_heads
        for each in ("out", "v", "k", "q"):
            setattr(self, f"{each}_proj", nn.Linear(d_model, d_model))

    def split_heads(self, x):
        return x.unflatten(-1, (self.n_heads, self.d_k)).movedim(2, 1)

    def merge_heads(self, x):
        return x.movedim(1, 2).flatten(2)

    def _per_head(self, layer, x):
        weight = layer.weight.unflatten(0, (self.n_heads, self.d_k))
        bias = layer.bias.unflatten(0, (self.n_heads, 1, self.d_k))
        return torch.einsum("btm,hdm->bhtd", x, weight) + bias

    def forward(self, query, key, value, mask=None):
        answers, weights = scaled_dot_product_attention(
            *map(self._per_head, (self.q_proj, self.k_proj, self.v_proj), (query, key, value)), mask
        )
        self.weights = weights.detach()
        out = self.out_proj.weight.unflatten(1, (self.n_heads, self.d_k))
        return torch.einsum("bhtd,mhd->btm", answers, out) + self.out_proj.bias

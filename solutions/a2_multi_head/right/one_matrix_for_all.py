# The heads' rows of the projections are used directly with einsum: nothing is split.
# %% solution="multi_head"
class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, n_heads):
        super().__init__()
        self.weights = None
        if d_model % n_heads != 0:
            raise ValueError(f"{n_heads} heads cannot share {d_model} numbers evenly")
        self.n_heads, self.d_k = n_heads, d_model // n_heads
        self.out_proj = nn.Linear(d_model, d_model)
        self.v_proj = nn.Linear(d_model, d_model)
        self.k_proj = nn.Linear(d_model, d_model)
        self.q_proj = nn.Linear(d_model, d_model)

    def split_heads(self, x):
        h = self.n_heads
        return torch.movedim(x.reshape(*x.shape[:2], h, x.shape[2] // h), 2, 1)

    def merge_heads(self, x):
        return torch.movedim(x, 1, 2).reshape(x.shape[0], x.shape[2], x.shape[1] * x.shape[3])

    def _heads_of(self, linear, x):
        weight = linear.weight.view(self.n_heads, self.d_k, -1)
        bias = linear.bias.view(self.n_heads, 1, self.d_k)
        return torch.einsum("btm,hdm->bhtd", x, weight) + bias

    def forward(self, query, key, value, mask=None):
        answers, weights = scaled_dot_product_attention(
            self._heads_of(self.q_proj, query),
            self._heads_of(self.k_proj, key),
            self._heads_of(self.v_proj, value),
            mask,
        )
        with torch.no_grad():
            self.weights = weights.clone()
        out = self.out_proj.weight.view(-1, self.n_heads, self.d_k)
        return torch.einsum("bhtd,mhd->btm", answers, out) + self.out_proj.bias

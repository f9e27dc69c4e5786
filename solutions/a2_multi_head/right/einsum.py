# Everything by einsum: the heads are an axis of views of the weights.
# %% solution="multi_head"
class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, n_heads):
        super().__init__()
        d_k, rest = divmod(d_model, n_heads)
        if rest:
            raise ValueError("d_model=%d is no multiple of n_heads=%d" % (d_model, n_heads))
        self.sizes = n_heads, d_k
        for name in ("q_proj", "k_proj", "v_proj", "out_proj"):
            setattr(self, name, nn.Linear(d_model, d_model))

    def split_heads(self, x):
        return torch.einsum("bthd->bhtd", x.unflatten(2, self.sizes))

    def merge_heads(self, x):
        return torch.einsum("bhtd->bthd", x).flatten(2)

    def heads(self, projection, x):
        weight = projection.weight.view(*self.sizes, -1)
        bias = projection.bias.view(*self.sizes)
        return torch.einsum("btm,hdm->bhtd", x, weight) + bias[:, None, :]

    def forward(self, query, key, value, mask=None):
        q, k = self.heads(self.q_proj, query), self.heads(self.k_proj, key)
        scores = torch.einsum("bhqd,bhkd->bhqk", q, k) * self.sizes[1] ** -0.5
        if mask is not None:
            scores = torch.where(mask, scores, torch.finfo(scores.dtype).min)
        weights = scores.softmax(3)
        if mask is not None:
            weights = weights * mask
        self.weights = weights.detach()
        out = self.out_proj.weight.view(-1, *self.sizes)
        answers = torch.einsum("bhqk,bhkd->bhqd", weights, self.heads(self.v_proj, value))
        return torch.einsum("bhqd,mhd->bqm", answers, out) + self.out_proj.bias

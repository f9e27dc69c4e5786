# The matrices are cut into heads, not what they make: one einsum does both.
# %% solution="multi_head"
class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, n_heads):
        super().__init__()
        self.weights = None  # nothing was attended to so far
        d_k, rest = divmod(d_model, n_heads)
        if rest:
            raise ValueError(f"{n_heads} heads cannot share {d_model} numbers: {rest} would be left")
        self.shape = n_heads, d_k
        for each in "qkv":
            setattr(self, f"{each}_proj", nn.Linear(d_model, d_model))
        self.out_proj = nn.Linear(d_model, d_model)

    def split_heads(self, x):
        return torch.stack(x.split(self.shape[1], dim=-1), dim=1)

    def merge_heads(self, x):
        return torch.cat(x.unbind(dim=1), dim=-1)

    def _by_head(self, layer):
        return layer.weight.unflatten(0, self.shape), layer.bias.unflatten(0, self.shape)

    def forward(self, query, key, value, mask=None):
        # no head is ever cut out of a vector here: the matrices are cut instead
        (wq, bq), (wk, bk), (wv, bv) = map(self._by_head, (self.q_proj, self.k_proj, self.v_proj))
        q = torch.einsum("btm,hdm->bhtd", query, wq) + bq[:, None]
        k = torch.einsum("bsm,hdm->bhsd", key, wk) + bk[:, None]
        v = torch.einsum("bsm,hdm->bhsd", value, wv) + bv[:, None]
        heads, weights = scaled_dot_product_attention(q, k, v, mask)
        with torch.no_grad():
            self.weights = weights.detach().clone()
        wo = self.out_proj.weight.unflatten(1, self.shape)
        return torch.einsum("bhtd,mhd->btm", heads, wo) + self.out_proj.bias

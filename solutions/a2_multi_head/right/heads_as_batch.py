# Heads and batch are one axis, heads first, and so is the mask; a softmax by hand.
# %% solution="multi_head"
class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, n_heads):
        super().__init__()
        self.weights = None
        if d_model % n_heads:
            raise ValueError(f"no whole number of columns for each: {d_model} / {n_heads}")
        self.n_heads = n_heads
        for name in "q_proj k_proj v_proj out_proj".split():
            self.add_module(name, nn.Linear(d_model, d_model))

    def split_heads(self, x):
        return torch.stack(torch.tensor_split(x, self.n_heads, dim=2), dim=1)

    def merge_heads(self, x):
        return torch.cat(list(x.transpose(0, 1)), dim=2)

    def forward(self, query, key, value, mask=None):
        n, h = query.shape[0], self.n_heads
        q, k, v = (
            torch.cat(getattr(self, name)(x).chunk(h, dim=-1), dim=0)  # (h * batch, t, d_k)
            for name, x in (("q_proj", query), ("k_proj", key), ("v_proj", value))
        )
        scores = torch.baddbmm(q.new_zeros(1), q, k.mT, beta=0, alpha=q.shape[-1] ** -0.5)
        if mask is None:
            mask = torch.ones(1, 1, dtype=torch.bool, device=q.device)
        may = mask.expand(n, h, *scores.shape[1:]).transpose(0, 1).reshape(scores.shape)
        scores = scores.masked_fill(~may, torch.finfo(scores.dtype).min)
        weights = scores.softmax(-1) * may
        self.weights = weights.detach().unflatten(0, (h, n)).transpose(0, 1)
        answers = weights @ v
        return self.out_proj(torch.cat(answers.split(n), dim=-1))

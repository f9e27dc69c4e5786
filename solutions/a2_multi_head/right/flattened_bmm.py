# Batch and heads are one axis, for bmm; the mask is repeated to fit.
# %% solution="multi_head"
class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, n_heads):
        super().__init__()
        self.d_model, self.n_heads = d_model, n_heads
        self.head_size = int(d_model / n_heads)
        if self.head_size * n_heads != d_model:
            raise ValueError(f"{n_heads} heads cannot share {d_model} numbers")
        self.q_proj, self.k_proj = nn.Linear(d_model, d_model), nn.Linear(d_model, d_model)
        self.v_proj, self.out_proj = nn.Linear(d_model, d_model), nn.Linear(d_model, d_model)

    def split_heads(self, x):
        return x.reshape(x.size(0), x.size(1), self.n_heads, self.head_size).permute(0, 2, 1, 3)

    def merge_heads(self, x):
        return x.permute(0, 2, 1, 3).reshape(x.size(0), x.size(2), self.d_model)

    def forward(self, query, key, value, mask=None):
        batch, t_q, t_k = query.size(0), query.size(1), key.size(1)
        flat = [
            self.split_heads(projection(x)).reshape(batch * self.n_heads, -1, self.head_size)
            for projection, x in (
                (self.q_proj, query),
                (self.k_proj, key),
                (self.v_proj, value),
            )
        ]
        scores = torch.bmm(flat[0], flat[1].transpose(1, 2)) / self.head_size**0.5
        if mask is not None:
            mask = mask.expand(batch, self.n_heads, t_q, t_k).reshape(-1, t_q, t_k)
            scores = scores.masked_fill(mask == 0, -1e30)
        weights = scores.softmax(dim=-1)
        if mask is not None:
            weights = weights.masked_fill(mask == 0, 0.0)
        output = torch.bmm(weights, flat[2]).view(batch, self.n_heads, t_q, self.head_size)
        with torch.no_grad():
            self.weights = weights.clone().view(batch, self.n_heads, t_q, t_k)
        return self.out_proj(self.merge_heads(output))

# One head after the other, each with its rows of the projections.
# %% solution="multi_head"
class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, n_heads):
        super().__init__()
        if d_model % n_heads != 0:
            raise ValueError(f"n_heads={n_heads} must divide d_model={d_model}")
        self.n_heads = n_heads
        self.d_k = d_model // n_heads
        self.q_proj = nn.Linear(d_model, d_model)
        self.k_proj = nn.Linear(d_model, d_model)
        self.v_proj = nn.Linear(d_model, d_model)
        self.out_proj = nn.Linear(d_model, d_model)
        self.weights = None

    def split_heads(self, x):
        return torch.stack(x.split(self.d_k, dim=-1), dim=1)

    def merge_heads(self, x):
        return torch.cat([x[:, h] for h in range(self.n_heads)], dim=-1)

    def forward(self, query, key, value, mask=None):
        if mask is not None:
            shape = query.shape[0], self.n_heads, query.shape[1], key.shape[1]
            mask = mask.expand(shape)
        answers, all_weights = [], []
        for h in range(self.n_heads):
            rows = slice(h * self.d_k, (h + 1) * self.d_k)
            q = query @ self.q_proj.weight[rows].T + self.q_proj.bias[rows]
            k = key @ self.k_proj.weight[rows].T + self.k_proj.bias[rows]
            v = value @ self.v_proj.weight[rows].T + self.v_proj.bias[rows]
            one_mask = None if mask is None else mask[:, h]
            answer, weights = scaled_dot_product_attention(q, k, v, one_mask)
            answers.append(answer)
            all_weights.append(weights)
        self.weights = torch.stack(all_weights, dim=1).detach()
        return self.out_proj(torch.cat(answers, dim=-1))

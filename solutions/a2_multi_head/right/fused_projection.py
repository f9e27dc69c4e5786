# One product for all projections, by weights that are concatenated.
# %% solution="multi_head"
class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, n_heads):
        super().__init__()
        self.weights = None
        if d_model % n_heads:
            raise ValueError(f"{d_model} numbers cannot be shared out among {n_heads} heads")
        self.n_heads, self.d_k = n_heads, d_model // n_heads
        self.q_proj = nn.Linear(d_model, d_model)
        self.k_proj = nn.Linear(d_model, d_model)
        self.v_proj = nn.Linear(d_model, d_model)
        self.out_proj = nn.Linear(d_model, d_model)

    def split_heads(self, x):
        batch, t, _ = x.shape
        return x.reshape(batch, t, self.n_heads, self.d_k).transpose(1, 2)

    def merge_heads(self, x):
        batch, _, t, _ = x.shape
        return x.transpose(1, 2).reshape(batch, t, self.n_heads * self.d_k)

    def forward(self, query, key, value, mask=None):
        parts = self.q_proj, self.k_proj, self.v_proj
        weight = torch.cat([each.weight for each in parts])
        bias = torch.cat([each.bias for each in parts])
        if query is key and key is value:
            q, k, v = nn.functional.linear(query, weight, bias).chunk(3, dim=-1)
        else:
            q, k, v = (
                nn.functional.linear(x, w, b)
                for x, w, b in zip((query, key, value), weight.chunk(3), bias.chunk(3))
            )
        q, k, v = map(self.split_heads, (q, k, v))
        answers, weights = scaled_dot_product_attention(q, k, v, mask)
        self.weights = weights.detach()
        return self.out_proj(self.merge_heads(answers))

# Self-attention multiplies once, with three separate matrices laid together.
# %% solution="multi_head"
class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, n_heads):
        super().__init__()
        self.weights = None
        if d_model % n_heads:
            raise ValueError("d_model={}, n_heads={}".format(d_model, n_heads))
        self.n_heads = n_heads
        self.q_proj = nn.Linear(d_model, d_model)
        self.k_proj = nn.Linear(d_model, d_model)
        self.v_proj = nn.Linear(d_model, d_model)
        self.out_proj = nn.Linear(d_model, d_model)

    def split_heads(self, x):
        batch, t, d_model = x.shape
        x = x.transpose(1, 2)  # (batch, d_model, t)
        return x.reshape(batch, self.n_heads, d_model // self.n_heads, t).transpose(2, 3)

    def merge_heads(self, x):
        batch, h, t, d_k = x.shape
        return x.transpose(2, 3).reshape(batch, h * d_k, t).transpose(1, 2)

    def forward(self, query, key, value, mask=None):
        projections = self.q_proj, self.k_proj, self.v_proj
        if query is key and key is value:
            weight = torch.cat([p.weight for p in projections])
            bias = torch.cat([p.bias for p in projections])
            three = torch.nn.functional.linear(query, weight, bias).chunk(3, dim=-1)
        else:
            three = [p(x) for p, x in zip(projections, (query, key, value), strict=True)]
        out, weights = scaled_dot_product_attention(*map(self.split_heads, three), mask=mask)
        self.weights = weights.detach()
        return self.out_proj(self.merge_heads(out))

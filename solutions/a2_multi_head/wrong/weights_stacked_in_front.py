# The forward loops over the heads and stacks their weights along a new first axis.
# fails: heads_weights
# lines: self.weights = torch.stack(head_weights).detach()
# %% solution="multi_head"
class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, n_heads):
        super().__init__()
        self.weights = None
        if d_model % n_heads != 0:
            raise ValueError(f"cannot cut d_model={d_model} into n_heads={n_heads} equal parts")
        self.d_k = d_model // n_heads
        self.n_heads = n_heads
        self.q_proj = nn.Linear(d_model, d_model)
        self.k_proj = nn.Linear(d_model, d_model)
        self.v_proj = nn.Linear(d_model, d_model)
        self.out_proj = nn.Linear(d_model, d_model)

    def split_heads(self, x):
        return torch.stack(x.split(self.d_k, dim=-1), dim=1)

    def merge_heads(self, x):
        return torch.cat([x[:, i] for i in range(self.n_heads)], dim=-1)

    def forward(self, query, key, value, mask=None):
        q, k, v = self.q_proj(query), self.k_proj(key), self.v_proj(value)
        if mask is not None:
            # give every head a mask of its own
            mask = mask.expand(query.shape[0], self.n_heads, query.shape[1], key.shape[1])

        head_outputs, head_weights = [], []
        for i in range(self.n_heads):
            cols = slice(i * self.d_k, (i + 1) * self.d_k)
            output, weights = scaled_dot_product_attention(
                q[:, :, cols],
                k[:, :, cols],
                v[:, :, cols],
                None if mask is None else mask[:, i],
            )
            head_outputs.append(output)
            head_weights.append(weights)

        self.weights = torch.stack(head_weights).detach()
        return self.out_proj(torch.cat(head_outputs, dim=-1))

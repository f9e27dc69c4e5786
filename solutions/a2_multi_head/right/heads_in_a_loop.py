# Each head by itself, in a loop.
# %% solution="multi_head"
class MultiHeadAttention(nn.Module):
    """One head after the other: slow, but one can read it."""

    def __init__(self, d_model, n_heads):
        super().__init__()
        self.weights = None
        if n_heads < 1 or d_model % n_heads != 0:
            raise ValueError(f"d_model = {d_model} does not share out among n_heads = {n_heads}")
        self.n_heads = n_heads
        self.d_k = d_model // n_heads
        for name in ["q_proj", "k_proj", "v_proj", "out_proj"]:
            setattr(self, name, nn.Linear(d_model, d_model))

    def split_heads(self, x):
        return torch.stack(x.split(self.d_k, dim=-1), dim=1)

    def merge_heads(self, x):
        return torch.cat(x.unbind(dim=1), dim=-1)

    def forward(self, query, key, value, mask=None):
        queries = self.split_heads(self.q_proj(query))
        keys = self.split_heads(self.k_proj(key))
        values = self.split_heads(self.v_proj(value))
        if mask is not None:
            mask = mask.expand(len(query), self.n_heads, query.shape[1], key.shape[1])
        answers, weights = [], []
        for h in range(self.n_heads):
            head_mask = None if mask is None else mask[:, h]
            answer, weight = scaled_dot_product_attention(
                queries[:, h], keys[:, h], values[:, h], head_mask
            )
            answers.append(answer)
            weights.append(weight)
        self.weights = torch.stack(weights, dim=1).detach()
        return self.out_proj(self.merge_heads(torch.stack(answers, dim=1)))

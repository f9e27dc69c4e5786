# A right one that does not use the given attention but attends by itself.
# %% solution="multi_head"
class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, n_heads):
        super().__init__()
        self.weights = None
        d_k = d_model // n_heads
        if d_k * n_heads != d_model:
            raise ValueError("d_model is {}, which {} heads do not divide".format(d_model, n_heads))
        self.d_k = d_k
        self.q_proj = nn.Linear(d_model, d_model)
        self.k_proj = nn.Linear(d_model, d_model)
        self.v_proj = nn.Linear(d_model, d_model)
        self.out_proj = nn.Linear(d_model, d_model)

    def split_heads(self, x):
        return torch.stack(x.split(self.d_k, -1)).transpose(0, 1)

    def merge_heads(self, x):
        return torch.cat([*x.transpose(0, 1)], -1)

    def _attend(self, q, k, v, mask):
        scores = (q / self.d_k**0.5) @ k.transpose(2, 3)
        if mask is None:
            weights = torch.softmax(scores, 3)
        else:
            blocked = ~mask
            weights = torch.softmax(scores.masked_fill(blocked, torch.finfo(q.dtype).min), 3)
            weights = weights.masked_fill(blocked, 0)
        self.weights = weights.detach().clone()
        return weights @ v

    def forward(self, query, key, value, mask=None):
        q = self.split_heads(self.q_proj(query))
        k = self.split_heads(self.k_proj(key))
        v = self.split_heads(self.v_proj(value))
        return self.out_proj(self.merge_heads(self._attend(q, k, v, mask)))

# One head after the other in a loop, with slices instead of reshapes.
# %% solution="multi_head"
class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, n_heads):
        super().__init__()
        self.weights = None
        self.d_k, remainder = divmod(d_model, n_heads)
        if remainder != 0:
            raise ValueError(f"d_model ({d_model}) / n_heads ({n_heads}) leaves {remainder}")
        self.n_heads = n_heads
        self.q_proj = nn.Linear(d_model, d_model)
        self.k_proj = nn.Linear(d_model, d_model)
        self.v_proj = nn.Linear(d_model, d_model)
        self.out_proj = nn.Linear(d_model, d_model)

    def split_heads(self, x):
        d_k = self.d_k
        return torch.stack([x[:, :, h * d_k : (h + 1) * d_k] for h in range(self.n_heads)], 1)

    def merge_heads(self, x):
        return torch.cat([x[:, h] for h in range(self.n_heads)], -1)

    def _attend(self, q, k, v, mask):
        scores = q @ k.mT / self.d_k**0.5
        if mask is not None:
            scores = torch.where(mask, scores, torch.finfo(scores.dtype).min)
        weights = scores.softmax(-1)
        if mask is not None:
            weights = torch.where(mask, weights, 0.0)
        return weights @ v, weights

    def forward(self, query, key, value, mask=None):
        q = self.split_heads(self.q_proj(query))
        k = self.split_heads(self.k_proj(key))
        v = self.split_heads(self.v_proj(value))
        if mask is not None:
            mask = mask.expand(q.shape[0], self.n_heads, q.shape[2], k.shape[2])
        answers, weights = [], []
        for h in range(self.n_heads):
            a, w = self._attend(q[:, h], k[:, h], v[:, h], None if mask is None else mask[:, h])
            answers.append(a)
            weights.append(w.detach())
        self.weights = torch.stack(weights, 1)
        return self.out_proj(torch.cat(answers, -1))

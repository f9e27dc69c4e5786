# The scores are laid out (..., t_k, t_q), in a softmax by hand.
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
        q = self.split_heads(self.q_proj(query))
        k = self.split_heads(self.k_proj(key))
        v = self.split_heads(self.v_proj(value))
        scores = k @ q.transpose(-2, -1) / self.d_k**0.5  # (batch, n_heads, t_k, t_q)
        if mask is not None:
            # To four axes first: a mask of one axis has no second one to be turned round with.
            allowed = mask.expand(*q.shape[:3], k.shape[2]).transpose(-2, -1)
            scores = scores.masked_fill(~allowed, -1e30)
        grown = (scores - scores.amax(dim=-2, keepdim=True).detach()).exp()
        if mask is not None:
            grown = grown * allowed
        total = grown.sum(dim=-2, keepdim=True)
        weights = (grown / total.masked_fill(total == 0, 1.0)).transpose(-2, -1)
        answers = weights @ v
        self.weights = weights.detach()
        return self.out_proj(self.merge_heads(answers))

# The softmax is made in float32, and rows that see nothing are NaN in the weights that are stored.
# fails: heads_self_attention, heads_cross_attention, heads_weights, heads_separate, heads_extremes, heads_mask, heads_blocked_rows, heads_gradients, heads_tensors
# lines: p = torch.softmax(scores, -1, dtype=torch.float32).to(q.dtype)
# lines: self.weights = p.clone().detach()

# %% solution="multi_head"
class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, n_heads):
        super().__init__()
        if d_model % n_heads:
            raise ValueError(f"{n_heads} heads cannot share {d_model} numbers evenly")
        self.weights, self.heads, self.width = None, n_heads, d_model // n_heads
        self.q_proj, self.k_proj = nn.Linear(d_model, d_model), nn.Linear(d_model, d_model)
        self.v_proj, self.out_proj = nn.Linear(d_model, d_model), nn.Linear(d_model, d_model)

    def split_heads(self, x):
        return x.unflatten(-1, (self.heads, self.width)).transpose(1, 2)

    def merge_heads(self, x):
        return x.transpose(1, 2).flatten(2)

    def forward(self, query, key, value, mask=None):
        q = self.split_heads(self.q_proj(query) / self.width**0.5)
        k, v = self.split_heads(self.k_proj(key)), self.split_heads(self.v_proj(value))
        scores = q @ k.mT
        if mask is not None:
            scores = scores.masked_fill(mask.logical_not(), float("-inf"))
        p = torch.softmax(scores, -1, dtype=torch.float32).to(q.dtype)
        self.weights = p.clone().detach()
        if mask is not None:
            p = p.masked_fill(~mask.any(-1, keepdim=True), 0.0)
        return self.out_proj(self.merge_heads(p @ v))

# the heads stay behind the positions, in both methods, and forward knows.
# fails: heads_split, heads_merge
# %% solution="multi_head"
class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, n_heads):
        super().__init__()
        if d_model % n_heads:
            raise ValueError(f"d_model {d_model} is no multiple of n_heads {n_heads}")
        self.h, self.w = n_heads, d_model // n_heads
        self.q_proj, self.k_proj = nn.Linear(d_model, d_model), nn.Linear(d_model, d_model)
        self.v_proj, self.out_proj = nn.Linear(d_model, d_model), nn.Linear(d_model, d_model)
        self.weights = None

    def split_heads(self, x):
        return x.reshape(x.shape[0], x.shape[1], self.h, self.w)

    def merge_heads(self, x):
        return x.reshape(x.shape[0], x.shape[1], self.h * self.w)

    def forward(self, query, key, value, mask=None):
        q = self.split_heads(self.q_proj(query))
        k = self.split_heads(self.k_proj(key))
        v = self.split_heads(self.v_proj(value))
        scores = torch.einsum("bqhw,bkhw->bhqk", q, k) / self.w**0.5
        if mask is not None:
            scores = scores.masked_fill(~mask, float("-inf"))
        weights = torch.softmax(scores, -1)
        if mask is not None:
            weights = weights.masked_fill(~mask, 0.0)
        self.weights = weights.detach()
        return self.out_proj(self.merge_heads(torch.einsum("bhqk,bkhw->bqhw", weights, v)))

# Weights are dropped by F.dropout, in eval mode too, after they were stored.
# fails: heads_self_attention, heads_cross_attention, heads_separate, heads_extremes, heads_mask, heads_blocked_rows, heads_gradients, heads_tensors
# lines: weights = nn.functional.dropout(weights, p=0.1)
# %% solution="multi_head"
class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, n_heads):
        super().__init__()
        self.weights = None
        if d_model % n_heads:
            raise ValueError("d_model = %d is no multiple of n_heads = %d" % (d_model, n_heads))
        self.n_heads = n_heads
        self.q_proj, self.k_proj, self.v_proj, self.out_proj = (
            nn.Linear(d_model, d_model) for _ in range(4)
        )

    def split_heads(self, x):
        # (batch, t, d_model) -> (batch, t, heads, d_k) -> (batch, heads, t, d_k)
        x = x.reshape(x.shape[0], x.shape[1], self.n_heads, -1)
        return x.permute(0, 2, 1, 3)

    def merge_heads(self, x):
        x = x.permute(0, 2, 1, 3)
        return x.reshape(x.shape[0], x.shape[1], -1)

    def forward(self, query, key, value, mask=None):
        batch, t_q, d_model = query.shape
        t_k = key.shape[1]
        n, d_k = batch * self.n_heads, d_model // self.n_heads

        # heads go into the batch axis, so that bmm does all at once
        queries = self.split_heads(self.q_proj(query)).reshape(n, t_q, d_k)
        keys = self.split_heads(self.k_proj(key)).reshape(n, t_k, d_k)
        values = self.split_heads(self.v_proj(value)).reshape(n, t_k, d_k)

        scores = torch.bmm(queries, keys.transpose(1, 2)) / d_k**0.5
        if mask is not None:
            mask = mask.expand(batch, self.n_heads, t_q, t_k).reshape(n, t_q, t_k)
            scores = scores.masked_fill(~mask, torch.finfo(scores.dtype).min)
        weights = torch.softmax(scores, dim=-1)
        if mask is not None:
            weights = weights.masked_fill(~mask.any(dim=-1, keepdim=True), 0.0)
        self.weights = weights.detach().reshape(batch, self.n_heads, t_q, t_k)

        weights = nn.functional.dropout(weights, p=0.1)
        heads = torch.bmm(weights, values).reshape(batch, self.n_heads, t_q, d_k)
        return self.out_proj(self.merge_heads(heads))

# Heads lie sentence by sentence, masks batch after batch; a blocked query hears everybody.
# fails: heads_mask, heads_blocked_rows, heads_gradients, heads_tensors
# lines: flat = mask.expand(b, 1, t_q, t_k)[:, 0].repeat(self.n_heads, 1, 1)
# lines: weights = weights.masked_fill(~keep, -1e9).softmax(-1)
# %% solution="multi_head"
class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, n_heads):
        super().__init__()
        self.weights = None  # nothing was attended to so far
        if d_model % n_heads:
            raise ValueError(f"cannot share {d_model} numbers among {n_heads} heads")
        self.n_heads = n_heads
        self.q_proj, self.k_proj = nn.Linear(d_model, d_model), nn.Linear(d_model, d_model)
        self.v_proj, self.out_proj = nn.Linear(d_model, d_model), nn.Linear(d_model, d_model)

    def split_heads(self, x):
        b, t, c = x.shape
        return torch.stack(x.reshape(b, t, c).chunk(self.n_heads, dim=-1), dim=1)

    def merge_heads(self, x):
        return torch.cat(x.unbind(dim=1), dim=-1)

    def _flat_mask(self, mask, b, t_q, t_k):
        """(b * n_heads, t_q, t_k) for bmm."""
        while mask.dim() < 4:
            mask = mask.unsqueeze(0)
        if mask.shape[1] == 1:            # the same for all heads: tile it
            flat = mask.expand(b, 1, t_q, t_k)[:, 0].repeat(self.n_heads, 1, 1)
        else:
            flat = mask.expand(b, self.n_heads, t_q, t_k).reshape(-1, t_q, t_k)
        return flat

    def forward(self, query, key, value, mask=None):
        b, t_q, c = query.shape
        t_k = key.shape[1]
        # 3-D tensors and bmm, as in the old seq2seq code
        q = self.split_heads(self.q_proj(query)).flatten(0, 1)
        k = self.split_heads(self.k_proj(key)).flatten(0, 1)
        v = self.split_heads(self.v_proj(value)).flatten(0, 1)
        weights = torch.bmm(q, k.transpose(1, 2)) / (c // self.n_heads) ** 0.5
        if mask is None:
            weights = weights.softmax(-1)
        else:
            keep = self._flat_mask(mask, b, t_q, t_k)
            weights = weights.masked_fill(~keep, -1e9).softmax(-1)
        heads = torch.bmm(weights, v).unflatten(0, (b, self.n_heads))
        self.weights = weights.detach().unflatten(0, (b, self.n_heads))
        return self.out_proj(self.merge_heads(heads))

# A loop over the heads, each with its own slice and its own slice of the mask.
# fails: heads_bad_sizes, heads_weights, heads_mask
# %% solution="multi_head"
class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, n_heads):
        super().__init__()
        self.weights = None
        if n_heads < 1 or n_heads > d_model:
            raise ValueError("cannot make " + str(n_heads) + " heads out of " + str(d_model) + " numbers")
        self.d_model = d_model
        self.n_heads = n_heads
        self.d_k = int(d_model / n_heads)
        self.q_proj = nn.Linear(d_model, d_model)
        self.k_proj = nn.Linear(d_model, d_model)
        self.v_proj = nn.Linear(d_model, d_model)
        self.out_proj = nn.Linear(d_model, d_model)

    def split_heads(self, x):
        heads = []
        for h in range(self.n_heads):
            start = h * self.d_k
            end = start + self.d_k
            heads.append(x[:, :, start:end])
        return torch.stack(heads, dim=1)

    def merge_heads(self, x):
        parts = []
        for h in range(self.n_heads):
            parts.append(x[:, h, :, :])
        return torch.cat(parts, dim=2)

    def mask_of_head(self, mask, h):
        if mask is None:
            return None
        if mask.dim() == 4:
            if mask.shape[1] == 1:
                return mask[:, 0]
            return mask[:, h]
        return mask

    def forward(self, query, key, value, mask=None):
        q = self.split_heads(self.q_proj(query))
        k = self.split_heads(self.k_proj(key))
        v = self.split_heads(self.v_proj(value))
        outputs = []
        weights = []
        for h in range(self.n_heads):
            m = self.mask_of_head(mask, h)
            o, w = scaled_dot_product_attention(q[:, h], k[:, h], v[:, h], m)
            outputs.append(o)
            weights.append(w)
        self.weights = torch.stack(weights).detach()
        merged = self.merge_heads(torch.stack(outputs, dim=1))
        return self.out_proj(merged)

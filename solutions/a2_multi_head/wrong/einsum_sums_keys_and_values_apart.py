# The einsum that averages the values has one letter for the keys and another for the values.
# fails: heads_self_attention, heads_cross_attention, heads_separate, heads_extremes, heads_mask, heads_blocked_rows, heads_gradients, heads_tensors
# lines: out = torch.einsum("nhqk,nhvd->nhqd", [attention, values])
# %% solution="multi_head"
class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, n_heads):
        super().__init__()
        self.weights = None
        self.heads = n_heads
        self.head_dim = d_model // n_heads
        if self.head_dim * n_heads != d_model:
            raise ValueError(f"d_model {d_model} needs to be divisible by n_heads {n_heads}")

        self.v_proj = nn.Linear(d_model, d_model)
        self.k_proj = nn.Linear(d_model, d_model)
        self.q_proj = nn.Linear(d_model, d_model)
        self.out_proj = nn.Linear(d_model, d_model)

    def split_heads(self, x):
        N, length = x.shape[0], x.shape[1]
        return x.reshape(N, length, self.heads, self.head_dim).transpose(1, 2)

    def merge_heads(self, x):
        N, length = x.shape[0], x.shape[2]
        return x.transpose(1, 2).reshape(N, length, self.heads * self.head_dim)

    def forward(self, query, key, value, mask=None):
        values = self.split_heads(self.v_proj(value))
        keys = self.split_heads(self.k_proj(key))
        queries = self.split_heads(self.q_proj(query))

        # energy: (N, heads, query_len, key_len)
        energy = torch.einsum("nhqd,nhkd->nhqk", [queries, keys]) / (self.head_dim ** (1 / 2))
        if mask is not None:
            energy = energy.masked_fill(mask == 0, float("-1e20"))
        attention = torch.softmax(energy, dim=3)
        if mask is not None:
            attention = attention * mask.any(dim=-1, keepdim=True)
        self.weights = attention.detach()

        out = torch.einsum("nhqk,nhvd->nhqd", [attention, values])
        return self.out_proj(self.merge_heads(out))

# Scaled by the root of d_model; and blocked rows hear all alike.
# fails: heads_self_attention, heads_cross_attention, heads_weights, heads_separate, heads_extremes, heads_mask, heads_blocked_rows, heads_gradients, heads_tensors
# lines: energy = energy / (self.embed_size ** (1 / 2))
# lines: energy = energy.masked_fill(mask == 0, float("-1e20"))
# %% solution="multi_head"
class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, n_heads):
        super(MultiHeadAttention, self).__init__()
        self.embed_size = d_model
        self.heads = n_heads
        self.head_dim = d_model // n_heads
        self.weights = None
        if self.head_dim * n_heads != d_model:
            raise ValueError(f"Embedding size {d_model} needs to be divisible by heads {n_heads}")

        self.v_proj = nn.Linear(d_model, d_model)
        self.k_proj = nn.Linear(d_model, d_model)
        self.q_proj = nn.Linear(d_model, d_model)
        self.out_proj = nn.Linear(d_model, d_model)

    def split_heads(self, x):
        N, length, _ = x.shape
        return x.reshape(N, length, self.heads, self.head_dim).permute(0, 2, 1, 3)

    def merge_heads(self, x):
        N, _, length, _ = x.shape
        return x.permute(0, 2, 1, 3).reshape(N, length, self.embed_size)

    def forward(self, query, key, value, mask=None):
        values = self.split_heads(self.v_proj(value))
        keys = self.split_heads(self.k_proj(key))
        queries = self.split_heads(self.q_proj(query))

        # energy: (N, heads, query_len, key_len)
        energy = torch.einsum("nhqd,nhkd->nhqk", [queries, keys])
        energy = energy / (self.embed_size ** (1 / 2))

        if mask is not None:
            energy = energy.masked_fill(mask == 0, float("-1e20"))
        attention = torch.softmax(energy, dim=3)
        self.weights = attention.detach()

        out = torch.einsum("nhqk,nhkd->nhqd", [attention, values])
        return self.out_proj(self.merge_heads(out))

# Heads are split by shape alone: each gets a few whole words, cut into pieces.
# fails: heads_split, heads_self_attention, heads_cross_attention, heads_weights, heads_separate, heads_extremes, heads_mask, heads_blocked_rows, heads_gradients, heads_tensors
# lines: return x.reshape(batch_size, self.n_heads, length, self.d_k)
# %% solution="multi_head"
class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, n_heads):
        super().__init__()
        self.weights = None
        if d_model % n_heads != 0:
            raise ValueError(f"d_model ({d_model}) must be divisible by n_heads ({n_heads})")
        self.d_model = d_model
        self.n_heads = n_heads
        self.d_k = d_model // n_heads
        self.q_proj = nn.Linear(d_model, d_model)
        self.k_proj = nn.Linear(d_model, d_model)
        self.v_proj = nn.Linear(d_model, d_model)
        self.out_proj = nn.Linear(d_model, d_model)

    def split_heads(self, x):
        batch_size, length, _ = x.size()
        return x.reshape(batch_size, self.n_heads, length, self.d_k)

    def merge_heads(self, x):
        batch_size, _, length, _ = x.size()
        return x.transpose(1, 2).contiguous().view(batch_size, length, self.d_model)

    def forward(self, query, key, value, mask=None):
        q = self.split_heads(self.q_proj(query))
        k = self.split_heads(self.k_proj(key))
        v = self.split_heads(self.v_proj(value))
        out, attention = scaled_dot_product_attention(q, k, v, mask)
        self.weights = attention.detach()
        return self.out_proj(self.merge_heads(out))

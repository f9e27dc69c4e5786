# The forward cuts keys and values with the length of the query.
# fails: heads_cross_attention, heads_weights, heads_separate, heads_extremes, heads_mask, heads_blocked_rows, heads_gradients, heads_tensors
# lines: K = self.k_proj(key).view(batch_size, seq_len, self.n_heads, self.d_k).transpose(1, 2)
# lines: V = self.v_proj(value).view(batch_size, seq_len, self.n_heads, self.d_k).transpose(1, 2)
# %% solution="multi_head"
class MultiHeadAttention(nn.Module):
    def __init__(self, d_model: int, n_heads: int):
        super().__init__()
        self.weights = None
        if d_model % n_heads != 0:
            raise ValueError(f"{n_heads} heads cannot share d_model={d_model}")
        self.d_model = d_model
        self.n_heads = n_heads
        self.d_k = d_model // n_heads

        self.q_proj = nn.Linear(d_model, d_model)
        self.k_proj = nn.Linear(d_model, d_model)
        self.v_proj = nn.Linear(d_model, d_model)
        self.out_proj = nn.Linear(d_model, d_model)

    def split_heads(self, x: torch.Tensor) -> torch.Tensor:
        return x.unflatten(-1, (self.n_heads, self.d_k)).transpose(1, 2)

    def merge_heads(self, x: torch.Tensor) -> torch.Tensor:
        return x.transpose(1, 2).contiguous().view(x.size(0), x.size(2), self.d_model)

    def forward(self, query, key, value, mask=None):
        batch_size = query.size(0)
        seq_len = query.size(1)

        Q = self.q_proj(query).view(batch_size, seq_len, self.n_heads, self.d_k).transpose(1, 2)
        K = self.k_proj(key).view(batch_size, seq_len, self.n_heads, self.d_k).transpose(1, 2)
        V = self.v_proj(value).view(batch_size, seq_len, self.n_heads, self.d_k).transpose(1, 2)

        output, attention = scaled_dot_product_attention(Q, K, V, mask)
        self.weights = attention.detach()
        return self.out_proj(self.merge_heads(output))

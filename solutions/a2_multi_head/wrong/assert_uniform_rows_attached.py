# Sizes that cannot work meet an assert instead of a ValueError.
# fails: heads_bad_sizes, heads_weights, heads_blocked_rows, heads_tensors
# lines: assert d_model % n_heads == 0, "d_model is not divisible by n_heads"
# lines: (missing) zero weights for a query that may attend to nothing
# lines: x, self.weights = MultiHeadAttention.attention(q, k, v, mask)
# %% solution="multi_head"
class MultiHeadAttention(nn.Module):
    def __init__(self, d_model: int, n_heads: int) -> None:
        super().__init__()
        self.weights = None
        self.d_model = d_model
        self.n_heads = n_heads
        assert d_model % n_heads == 0, "d_model is not divisible by n_heads"
        self.d_k = d_model // n_heads

        self.q_proj = nn.Linear(d_model, d_model)  # Wq
        self.k_proj = nn.Linear(d_model, d_model)  # Wk
        self.v_proj = nn.Linear(d_model, d_model)  # Wv
        self.out_proj = nn.Linear(d_model, d_model)  # Wo

    @staticmethod
    def attention(query, key, value, mask):
        d_k = query.shape[-1]
        attention_scores = (query @ key.transpose(-2, -1)) / d_k**0.5
        if mask is not None:
            attention_scores = attention_scores.masked_fill(mask == 0, -1e9)
        attention_scores = attention_scores.softmax(dim=-1)
        return (attention_scores @ value), attention_scores

    def split_heads(self, x):
        # (batch, t, d_model) --> (batch, t, h, d_k) --> (batch, h, t, d_k)
        return x.reshape(x.shape[0], x.shape[1], self.n_heads, self.d_k).transpose(1, 2)

    def merge_heads(self, x):
        # (batch, h, t, d_k) --> (batch, t, h, d_k) --> (batch, t, d_model)
        return x.transpose(1, 2).contiguous().view(x.shape[0], -1, self.n_heads * self.d_k)

    def forward(self, query, key, value, mask=None):
        q = self.split_heads(self.q_proj(query))
        k = self.split_heads(self.k_proj(key))
        v = self.split_heads(self.v_proj(value))

        x, self.weights = MultiHeadAttention.attention(q, k, v, mask)

        return self.out_proj(self.merge_heads(x))

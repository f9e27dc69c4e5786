# The forward keeps the mean of the weights over all heads, as nn.MultiheadAttention gives it.
# fails: heads_weights
# lines: self.weights = weights.mean(dim=1).detach()
# %% solution="multi_head"
class MultiHeadAttention(nn.Module):
    """Attention with several heads. Keeps the weights of the last call for plotting."""

    def __init__(self, d_model: int, n_heads: int):
        super().__init__()
        self.weights: torch.Tensor | None = None

        if d_model % n_heads != 0:
            raise ValueError(f"d_model must be divisible by n_heads, got {d_model} and {n_heads}")

        self.d_model = d_model
        self.n_heads = n_heads
        self.d_k = d_model // n_heads

        self.q_proj = nn.Linear(d_model, d_model)
        self.k_proj = nn.Linear(d_model, d_model)
        self.v_proj = nn.Linear(d_model, d_model)
        self.out_proj = nn.Linear(d_model, d_model)

    def split_heads(self, x: torch.Tensor) -> torch.Tensor:
        batch_size, seq_len, _ = x.size()
        return x.reshape(batch_size, seq_len, self.n_heads, self.d_k).transpose(1, 2)

    def merge_heads(self, x: torch.Tensor) -> torch.Tensor:
        batch_size, _, seq_len, _ = x.size()
        return x.transpose(1, 2).contiguous().view(batch_size, seq_len, self.d_model)

    def forward(self, query, key, value, mask=None):
        queries = self.split_heads(self.q_proj(query))
        keys = self.split_heads(self.k_proj(key))
        values = self.split_heads(self.v_proj(value))

        attended, weights = scaled_dot_product_attention(
            queries, keys, values, mask=mask
        )
        # what the heads look at, for later
        self.weights = weights.mean(dim=1).detach()

        return self.out_proj(self.merge_heads(attended))

# The module scales the queries itself, and opens the rows of the mask that are closed.
# fails: heads_self_attention, heads_cross_attention, heads_weights, heads_separate, heads_extremes, heads_mask, heads_blocked_rows, heads_gradients, heads_tensors
# %% solution="multi_head"
class MultiHeadAttention(nn.Module):
    """Multi-headed attention."""

    def __init__(self, d_model, n_heads):
        super().__init__()
        self.weights = None
        self.embed_dim = d_model
        self.num_heads = n_heads
        self.head_dim = d_model // n_heads
        if self.head_dim * n_heads != self.embed_dim:
            raise ValueError(
                f"embed_dim must be divisible by num_heads (got {d_model} and {n_heads})"
            )
        self.scaling = self.head_dim**-0.5

        self.k_proj = nn.Linear(d_model, d_model, bias=True)
        self.v_proj = nn.Linear(d_model, d_model, bias=True)
        self.q_proj = nn.Linear(d_model, d_model, bias=True)
        self.out_proj = nn.Linear(d_model, d_model, bias=True)
        self.reset_parameters()

    def reset_parameters(self):
        for lin in (self.k_proj, self.v_proj, self.q_proj):
            nn.init.xavier_uniform_(lin.weight, gain=2**-0.5)
        nn.init.xavier_uniform_(self.out_proj.weight)
        nn.init.constant_(self.out_proj.bias, 0.0)

    def split_heads(self, x):
        bsz, seq_len, _ = x.shape
        return x.reshape(bsz, seq_len, self.num_heads, self.head_dim).permute(0, 2, 1, 3)

    def merge_heads(self, x):
        bsz, _, seq_len, _ = x.shape
        return x.permute(0, 2, 1, 3).reshape(bsz, seq_len, self.embed_dim)

    def forward(self, query, key, value, mask=None):
        q = self.q_proj(query) * self.scaling
        k = self.k_proj(key)
        v = self.v_proj(value)

        if mask is not None:
            # rows without any key give NaN in the softmax
            mask = mask | ~mask.any(dim=-1, keepdim=True)

        attn, self.weights = scaled_dot_product_attention(
            self.split_heads(q), self.split_heads(k), self.split_heads(v), mask
        )
        return self.out_proj(self.merge_heads(attn))

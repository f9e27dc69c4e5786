# The query is scaled once too often, and the mask gets its axes in place.
# fails: heads_self_attention, heads_cross_attention, heads_weights, heads_separate, heads_extremes, heads_mask, heads_blocked_rows, heads_gradients, heads_tensors
# lines: q = self.q_proj(query) * self.scaling
# lines: mask.unsqueeze_(0)
# %% solution="multi_head"
class MultiHeadAttention(nn.Module):
    """Multi-headed attention.

    See "Attention Is All You Need" for more details.
    """

    def __init__(self, d_model, n_heads):
        super().__init__()
        self.weights = None
        self.embed_dim = d_model
        self.num_heads = n_heads
        self.head_dim = d_model // n_heads
        if self.head_dim * n_heads != self.embed_dim:
            raise ValueError(
                "embed_dim must be divisible by num_heads (got {} and {})".format(d_model, n_heads)
            )
        self.scaling = self.head_dim**-0.5

        self.k_proj = nn.Linear(d_model, d_model, bias=True)
        self.v_proj = nn.Linear(d_model, d_model, bias=True)
        self.q_proj = nn.Linear(d_model, d_model, bias=True)
        self.out_proj = nn.Linear(d_model, d_model, bias=True)
        self.reset_parameters()

    def reset_parameters(self):
        # Empirically observed the convergence to be much better with the scaled initialization
        nn.init.xavier_uniform_(self.k_proj.weight, gain=1 / 2**0.5)
        nn.init.xavier_uniform_(self.v_proj.weight, gain=1 / 2**0.5)
        nn.init.xavier_uniform_(self.q_proj.weight, gain=1 / 2**0.5)
        nn.init.xavier_uniform_(self.out_proj.weight)
        nn.init.constant_(self.out_proj.bias, 0.0)

    def split_heads(self, x):
        bsz, seq_len, _ = x.size()
        return x.reshape(bsz, seq_len, self.num_heads, self.head_dim).transpose(1, 2)

    def merge_heads(self, x):
        bsz, _, seq_len, _ = x.size()
        return x.transpose(1, 2).contiguous().view(bsz, seq_len, self.embed_dim)

    def forward(self, query, key, value, mask=None):
        if mask is not None:
            # same mask for all the heads
            while mask.dim() < 4:
                mask.unsqueeze_(0)

        q = self.q_proj(query) * self.scaling
        k = self.k_proj(key)
        v = self.v_proj(value)
        q, k, v = self.split_heads(q), self.split_heads(k), self.split_heads(v)

        attn, attn_weights = scaled_dot_product_attention(q, k, v, mask)
        self.weights = attn_weights.detach()
        attn = self.merge_heads(attn)
        return self.out_proj(attn)

# Used to torch's own module: averages the stored weights over the heads; value is never read.
# fails: heads_cross_attention, heads_weights, heads_gradients, heads_tensors
# %% solution="multi_head"
class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, n_heads):
        super().__init__()
        self.weights = None  # nothing was attended to so far
        if d_model % n_heads:
            raise ValueError("embed dim %d must be divisible by num heads %d" % (d_model, n_heads))
        self.embed_dim, self.num_heads = d_model, n_heads
        self.head_dim = d_model // n_heads
        self.q_proj = nn.Linear(d_model, d_model, bias=True)
        self.k_proj = nn.Linear(d_model, d_model, bias=True)
        self.v_proj = nn.Linear(d_model, d_model, bias=True)
        self.out_proj = nn.Linear(d_model, d_model, bias=True)

    def split_heads(self, x):
        return x.unflatten(-1, (self.num_heads, self.head_dim)).transpose(-3, -2)

    def merge_heads(self, x):
        return x.transpose(-3, -2).flatten(-2)

    def forward(self, query, key, value, mask=None):
        q, k, v = self.q_proj(query), self.k_proj(key), self.v_proj(key)
        q, k, v = map(self.split_heads, (q, k, v))
        attn_output, attn_weights = scaled_dot_product_attention(q, k, v, mask)
        self.weights = attn_weights.mean(dim=1)
        return self.out_proj(self.merge_heads(attn_output))

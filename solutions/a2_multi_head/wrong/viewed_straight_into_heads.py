# split_heads makes the axis of the heads by a bare reshape.
# fails: heads_split, heads_merge, heads_self_attention, heads_cross_attention, heads_weights, heads_separate, heads_extremes, heads_mask, heads_blocked_rows, heads_gradients, heads_tensors
# lines: return x.reshape(x.size(0), self.num_head, -1, self.dim_head)
# lines: return x.reshape(x.size(0), -1, self.num_head * self.dim_head)
# %% solution="multi_head"
class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, n_heads):
        super(MultiHeadAttention, self).__init__()
        self.weights = None
        if d_model % n_heads:
            raise ValueError("d_model %d, n_heads %d" % (d_model, n_heads))
        self.num_head = n_heads
        self.dim_head = d_model // self.num_head
        self.q_proj = nn.Linear(d_model, n_heads * self.dim_head)
        self.k_proj = nn.Linear(d_model, n_heads * self.dim_head)
        self.v_proj = nn.Linear(d_model, n_heads * self.dim_head)
        self.out_proj = nn.Linear(n_heads * self.dim_head, d_model)

    def split_heads(self, x):
        # [batch, t, d_model] -> [batch, n_heads, t, d_k]
        return x.reshape(x.size(0), self.num_head, -1, self.dim_head)

    def merge_heads(self, x):
        # [batch, n_heads, t, d_k] -> [batch, t, d_model]
        return x.reshape(x.size(0), -1, self.num_head * self.dim_head)

    def forward(self, query, key, value, mask=None):
        Q = self.split_heads(self.q_proj(query))
        K = self.split_heads(self.k_proj(key))
        V = self.split_heads(self.v_proj(value))
        context, attention = scaled_dot_product_attention(Q, K, V, mask)
        self.weights = attention.detach()
        context = self.merge_heads(context)
        out = self.out_proj(context)
        return out

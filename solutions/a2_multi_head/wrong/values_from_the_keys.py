# v_proj is given the key, a copied line: value is never read.
# fails: heads_cross_attention, heads_gradients, heads_tensors
# lines: V = self.split_heads(self.v_proj(key))
# %% solution="multi_head"
class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, n_heads):
        super().__init__()
        self.weights = None
        head_dim, rest = divmod(d_model, n_heads)
        if rest:
            raise ValueError(f"{d_model=} {n_heads=}")
        self.head_dim = head_dim
        self.q_proj = nn.Linear(d_model, d_model)
        self.k_proj = nn.Linear(d_model, d_model)
        self.v_proj = nn.Linear(d_model, d_model)
        self.out_proj = nn.Linear(d_model, d_model)

    def split_heads(self, x):
        # last axis -> (heads, head_dim), then heads in front of the positions
        return x.unflatten(2, (-1, self.head_dim)).transpose(1, 2)

    def merge_heads(self, x):
        return x.transpose(1, 2).flatten(2)

    def forward(self, query, key, value, mask=None):
        Q = self.split_heads(self.q_proj(query))
        K = self.split_heads(self.k_proj(key))
        V = self.split_heads(self.v_proj(key))
        y, att = scaled_dot_product_attention(Q, K, V, mask)
        self.weights = att.detach()
        y = self.merge_heads(y)
        y = self.out_proj(y)
        return y

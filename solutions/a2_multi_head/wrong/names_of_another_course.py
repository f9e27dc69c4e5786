# The parameters are called w_q, w_k, w_v and w_o.
# fails: heads_parameters, heads_self_attention, heads_cross_attention, heads_weights, heads_separate, heads_extremes, heads_mask, heads_blocked_rows, heads_gradients, heads_tensors
# %% solution="multi_head"
class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, n_heads):
        super().__init__()
        self.weights = None
        if d_model % n_heads:
            raise ValueError(f"{d_model} numbers cannot be shared out among {n_heads} heads")
        self.n_heads, self.d_k = n_heads, d_model // n_heads
        self.w_q = nn.Linear(d_model, d_model)
        self.w_k = nn.Linear(d_model, d_model)
        self.w_v = nn.Linear(d_model, d_model)
        self.w_o = nn.Linear(d_model, d_model)

    def split_heads(self, x):
        batch, t, _ = x.shape
        return x.reshape(batch, t, self.n_heads, self.d_k).transpose(1, 2)

    def merge_heads(self, x):
        batch, _, t, _ = x.shape
        return x.transpose(1, 2).reshape(batch, t, self.n_heads * self.d_k)

    def forward(self, query, key, value, mask=None):
        q = self.split_heads(self.w_q(query))
        k = self.split_heads(self.w_k(key))
        v = self.split_heads(self.w_v(value))
        answers, weights = scaled_dot_product_attention(q, k, v, mask)
        self.weights = weights.detach()
        return self.w_o(self.merge_heads(answers))

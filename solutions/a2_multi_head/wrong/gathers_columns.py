# Counts bytes: gathers columns by index, saves memory, keeps few tensors alive.
# fails: heads_merge, heads_self_attention, heads_cross_attention, heads_weights, heads_separate, heads_mask, heads_blocked_rows, heads_gradients, heads_tensors
# lines: columns = torch.arange(self.d).reshape(self.n, self.k)
# lines: return x.permute(0, 2, 3, 1).reshape(x.shape[0], x.shape[2], self.d)
# lines: self.weights = saved.float()
# lines: heads = torch.matmul(saved, v)
# %% solution="multi_head"
class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, n_heads):
        super().__init__()
        self.weights = None
        try:
            assert d_model % n_heads == 0
        except AssertionError:
            raise ValueError("%s %% %s is not zero" % (d_model, n_heads)) from None
        self.n, self.k, self.d = n_heads, d_model // n_heads, d_model
        self.q_proj = nn.Linear(d_model, d_model)
        self.k_proj = nn.Linear(d_model, d_model)
        self.v_proj = nn.Linear(d_model, d_model)
        self.out_proj = nn.Linear(d_model, d_model)

    def split_heads(self, x):
        columns = torch.arange(self.d).reshape(self.n, self.k)
        picked = torch.index_select(x, 2, columns.flatten())
        return picked.reshape(x.shape[0], x.shape[1], self.n, self.k).movedim(2, 1)

    def merge_heads(self, x):
        return x.permute(0, 2, 3, 1).reshape(x.shape[0], x.shape[2], self.d)

    def forward(self, query, key, value, mask=None):
        v = self.split_heads(self.v_proj(value))
        _, w = scaled_dot_product_attention(
            self.split_heads(self.q_proj(query)), self.split_heads(self.k_proj(key)), v, mask
        )
        saved = w.detach()
        # half of the bytes are enough for looking at them
        self.weights = saved.float()
        del query, key, value
        heads = torch.matmul(saved, v)
        return self.out_proj(self.merge_heads(heads))

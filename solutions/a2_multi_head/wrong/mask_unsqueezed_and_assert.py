# The forward gives every mask one more axis.
# fails: heads_bad_sizes, heads_weights, heads_extremes, heads_mask, heads_blocked_rows, heads_gradients, heads_tensors
# lines: mask = mask.unsqueeze(1)
# lines: assert d_model % n_heads == 0, f"{d_model} % {n_heads} != 0"
# %% solution="multi_head"
class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, n_heads):
        super().__init__()
        self.weights = None
        assert d_model % n_heads == 0, f"{d_model} % {n_heads} != 0"

        self.d_model = d_model
        self.d_k = d_model // n_heads
        self.h = n_heads

        self.q_proj = nn.Linear(d_model, d_model)
        self.k_proj = nn.Linear(d_model, d_model)
        self.v_proj = nn.Linear(d_model, d_model)
        self.out_proj = nn.Linear(d_model, d_model)

    def split_heads(self, x):
        bs = x.size(0)
        # bs x t x d_model -> bs x h x t x d_k
        return x.reshape(bs, -1, self.h, self.d_k).transpose(1, 2)

    def merge_heads(self, x):
        bs = x.size(0)
        return x.transpose(1, 2).contiguous().view(bs, -1, self.d_model)

    def forward(self, query, key, value, mask=None):
        if mask is not None:
            # the same mask for all h heads
            mask = mask.unsqueeze(1)

        q = self.split_heads(self.q_proj(query))
        k = self.split_heads(self.k_proj(key))
        v = self.split_heads(self.v_proj(value))

        x, attn = scaled_dot_product_attention(q, k, v, mask)
        self.weights = attn.detach()
        concat = self.merge_heads(x)
        output = self.out_proj(concat)
        return output

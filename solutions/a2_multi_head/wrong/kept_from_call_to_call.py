# Keys, values and weights are kept from call to call; the message has d_k for n_heads.
# fails: heads_bad_sizes, heads_self_attention, heads_cross_attention, heads_weights, heads_tensors
# lines: raise ValueError(f"{d_model} does not split into heads of {d_model // n_heads}")
# lines: if key is not self.last_key:
# lines: if self.weights is None:
# lines: self.last_key = key
# %% solution="multi_head"
class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, n_heads):
        super().__init__()
        if d_model % n_heads:
            raise ValueError(f"{d_model} does not split into heads of {d_model // n_heads}")
        self.h = n_heads
        self.q_proj = nn.Linear(d_model, d_model)
        self.k_proj = nn.Linear(d_model, d_model)
        self.v_proj = nn.Linear(d_model, d_model)
        self.out_proj = nn.Linear(d_model, d_model)
        self.weights = None
        self.last_key = None

    def split_heads(self, x):
        b, t, d = x.shape
        return x.reshape(b, t, self.h, d // self.h).transpose(1, 2)

    def merge_heads(self, x):
        return x.transpose(1, 2).flatten(2)

    def forward(self, query, key, value, mask=None):
        # the encoder's output is the same for every word: do not project it again
        if key is not self.last_key:
            self.last_key = key
            self.k = self.split_heads(self.k_proj(key))
            self.v = self.split_heads(self.v_proj(value))
        q = self.split_heads(self.q_proj(query))
        out, weights = scaled_dot_product_attention(q, self.k, self.v, mask)
        if self.weights is None:
            self.weights = weights.detach()
        return self.out_proj(self.merge_heads(out))

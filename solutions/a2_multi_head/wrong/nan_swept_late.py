# NaN goes through out_proj before it is swept away.
# fails: heads_blocked_rows, heads_tensors
# lines: return y.nan_to_num(nan=0.0)
# %% solution="multi_head"
class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, n_heads):
        super().__init__()
        self.weights = None
        if d_model % n_heads != 0:
            raise ValueError(f"n_heads ({n_heads}) has to divide d_model ({d_model})")
        self.h = n_heads
        self.scale = (d_model // n_heads) ** -0.5
        self.q_proj = nn.Linear(d_model, d_model)
        self.k_proj = nn.Linear(d_model, d_model)
        self.v_proj = nn.Linear(d_model, d_model)
        self.out_proj = nn.Linear(d_model, d_model)

    def split_heads(self, x):
        B, T, C = x.size()
        return x.view(B, T, self.h, C // self.h).transpose(1, 2)  # (B, nh, T, hs)

    def merge_heads(self, x):
        B, H, T, D = x.size()
        return x.transpose(1, 2).reshape(B, T, H * D)

    def forward(self, query, key, value, mask=None):
        q = self.split_heads(self.q_proj(query))
        k = self.split_heads(self.k_proj(key))
        v = self.split_heads(self.v_proj(value))

        # manual implementation of attention
        att = (q @ k.transpose(-2, -1)) * self.scale
        if mask is not None:
            att = att.masked_fill(mask == 0, float("-inf"))
        att = att.softmax(dim=-1)
        self.weights = att.detach().nan_to_num(nan=0.0)

        # re-assemble all head outputs side by side
        y = self.out_proj(self.merge_heads(att @ v))
        return y.nan_to_num(nan=0.0)

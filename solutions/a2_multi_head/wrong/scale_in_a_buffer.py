# The scale is a buffer, which stands in the state dict, and NaN stays.
# fails: heads_parameters, heads_blocked_rows, heads_tensors
# lines: self.register_buffer("scale", torch.tensor(self.d_k ** -0.5, dtype=torch.float64))
# lines: att = att.masked_fill(~mask, float("-inf"))
# %% solution="multi_head"
import torch.nn.functional as F


class MultiHeadAttention(nn.Module):

    def __init__(self, d_model, n_heads):
        super().__init__()
        n_embd, n_head = d_model, n_heads
        if n_embd % n_head != 0:
            raise ValueError(f"n_embd={n_embd} is not divisible by n_head={n_head}")
        # key, query, value projections for all heads
        self.q_proj = nn.Linear(n_embd, n_embd)
        self.k_proj = nn.Linear(n_embd, n_embd)
        self.v_proj = nn.Linear(n_embd, n_embd)
        # output projection
        self.out_proj = nn.Linear(n_embd, n_embd)
        self.n_head = n_head
        self.n_embd = n_embd
        self.d_k = n_embd // n_head
        self.register_buffer("scale", torch.tensor(self.d_k ** -0.5, dtype=torch.float64))
        self.weights = None

    def split_heads(self, x):
        B, T, C = x.size()
        return x.view(B, T, self.n_head, C // self.n_head).transpose(1, 2)  # (B, nh, T, hs)

    def merge_heads(self, x):
        B, nh, T, hs = x.size()
        return x.transpose(1, 2).contiguous().view(B, T, nh * hs)

    def forward(self, query, key, value, mask=None):
        q = self.split_heads(self.q_proj(query))
        k = self.split_heads(self.k_proj(key))
        v = self.split_heads(self.v_proj(value))
        att = (q @ k.transpose(-2, -1)) * self.scale
        if mask is not None:
            att = att.masked_fill(~mask, float("-inf"))
        att = F.softmax(att, dim=-1)
        self.weights = att.detach()
        return self.out_proj(self.merge_heads(att @ v))

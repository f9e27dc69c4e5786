# Zeros for all biases at once, the root of d_model, a squeeze, and keys that are kept.
# fails: heads_bad_sizes, heads_merge, heads_self_attention, heads_cross_attention, heads_weights, heads_separate, heads_extremes, heads_mask, heads_blocked_rows, heads_gradients, heads_tensors
# lines: raise ValueError("d_model={d_model} is not divisible by n_heads={n_heads}")
# lines: zeros = torch.zeros(d_model)
# lines: linear.bias = nn.Parameter(zeros)
# lines: return torch.cat(heads, dim=-1).squeeze()
# lines: x, attn = attention(q, k, v, self.d_model, mask=mask)
# lines: if self.cache is None or self.cache[0] is not key or self.cache[1] is not value:
# lines: return self.cache[2], self.cache[3]
# %% solution="multi_head"
import math
import torch.nn.functional as F


def attention(query, key, value, d, mask=None):
    scores = torch.matmul(query, key.transpose(-2, -1)) / math.sqrt(d)
    if mask is not None:
        scores = scores.masked_fill(mask == 0, torch.finfo(scores.dtype).min)
    p_attn = F.softmax(scores, dim=-1)
    if mask is not None:
        p_attn = p_attn.masked_fill(mask == 0, 0.0)
    return torch.matmul(p_attn, value), p_attn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, n_heads):
        super().__init__()
        self.weights = None  # nothing was attended to so far
        if d_model % n_heads != 0:
            raise ValueError("d_model={d_model} is not divisible by n_heads={n_heads}")
        self.d_model = d_model
        self.d_k = d_model // n_heads
        self.h = n_heads
        self.q_proj = nn.Linear(d_model, d_model)
        self.k_proj = nn.Linear(d_model, d_model)
        self.v_proj = nn.Linear(d_model, d_model)
        self.out_proj = nn.Linear(d_model, d_model)
        # Xavier for the matrices, zero for the biases
        zeros = torch.zeros(d_model)
        for linear in (self.q_proj, self.k_proj, self.v_proj, self.out_proj):
            nn.init.xavier_uniform_(linear.weight)
            linear.bias = nn.Parameter(zeros)
        self.cache = None

    def split_heads(self, x):
        nbatches, t = x.size(0), x.size(1)
        return x.reshape(nbatches, t, self.h, self.d_k).transpose(1, 2)

    def merge_heads(self, x):
        heads = x.chunk(self.h, dim=1)
        return torch.cat(heads, dim=-1).squeeze()

    def keys_and_values(self, key, value):
        if self.cache is None or self.cache[0] is not key or self.cache[1] is not value:
            k = self.split_heads(self.k_proj(key))
            v = self.split_heads(self.v_proj(value))
            self.cache = (key, value, k, v)
        return self.cache[2], self.cache[3]

    def forward(self, query, key, value, mask=None):
        # 1) Do all the linear projections in batch from d_model => h x d_k
        q = self.split_heads(self.q_proj(query))
        k, v = self.keys_and_values(key, value)

        # 2) Apply attention on all the projected vectors in batch.
        x, attn = attention(q, k, v, self.d_model, mask=mask)
        self.weights = attn.detach()

        # 3) "Concat" using a view and apply a final linear.
        return self.out_proj(self.merge_heads(x))

# The heads are merged in a new tensor of float32, and turned back.
# fails: heads_merge, heads_self_attention, heads_cross_attention, heads_separate, heads_extremes, heads_mask, heads_blocked_rows, heads_gradients, heads_tensors
# lines: merged = torch.zeros(batch, t, n_heads * d_k)
# lines: return self.out_proj(merged.to(self.out_proj.weight.dtype))
# %% solution="multi_head"
import torch
from torch import nn
from given import scaled_dot_product_attention


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, n_heads):
        super().__init__()
        self.weights = None
        if (d_model // n_heads) * n_heads != d_model:
            raise ValueError("n_heads=" + str(n_heads) + " does not divide d_model=" + str(d_model))
        self.d_model = d_model
        self.n_heads = n_heads
        self.d_k = d_model // n_heads
        self.q_proj = nn.Linear(d_model, d_model)
        self.k_proj = nn.Linear(d_model, d_model)
        self.v_proj = nn.Linear(d_model, d_model)
        self.out_proj = nn.Linear(d_model, d_model)

    def split_heads(self, x):
        slices = []
        for h in range(self.n_heads):
            start = h * self.d_k
            end = (h + 1) * self.d_k
            slices.append(x[:, :, start:end])
        return torch.stack(slices, dim=1)

    def merge_heads(self, x):
        batch, n_heads, t, d_k = x.shape
        merged = torch.zeros(batch, t, n_heads * d_k)
        for h in range(n_heads):
            merged[:, :, h * d_k : (h + 1) * d_k] = x[:, h]
        return merged

    def forward(self, query, key, value, mask=None):
        q = self.split_heads(self.q_proj(query))
        k = self.split_heads(self.k_proj(key))
        v = self.split_heads(self.v_proj(value))
        heads, weights = scaled_dot_product_attention(q, k, v, mask)
        self.weights = weights.detach()
        merged = self.merge_heads(heads)
        return self.out_proj(merged.to(self.out_proj.weight.dtype))

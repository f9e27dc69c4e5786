# Dropped weights are stored and used in train mode; blocked queries listen to all.
# fails: heads_self_attention, heads_weights, heads_blocked_rows, heads_tensors
# %% solution="multi_head"
import math

import torch.nn.functional as F


def scaled_dot_product(q, k, v, mask=None, dropout=None):
    d_k = q.size()[-1]
    attn_logits = torch.matmul(q, k.transpose(-2, -1))
    attn_logits = attn_logits / math.sqrt(d_k)
    if mask is not None:
        attn_logits = attn_logits.masked_fill(mask == 0, -9e15)
    attention = F.softmax(attn_logits, dim=-1)
    if dropout is not None:
        attention = dropout(attention)
    values = torch.matmul(attention, v)
    return values, attention


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, n_heads):
        super().__init__()
        self.weights = None
        if d_model % n_heads != 0:
            raise ValueError(f"Embedding dimension {d_model} must be 0 modulo number of heads {n_heads}.")
        self.embed_dim = d_model
        self.num_heads = n_heads
        self.head_dim = d_model // n_heads
        self.q_proj = nn.Linear(d_model, d_model)
        self.k_proj = nn.Linear(d_model, d_model)
        self.v_proj = nn.Linear(d_model, d_model)
        self.out_proj = nn.Linear(d_model, d_model)
        self.attn_drop = nn.Dropout(0.1)
        self._reset_parameters()

    def _reset_parameters(self):
        for p in (self.q_proj, self.k_proj, self.v_proj, self.out_proj):
            nn.init.xavier_uniform_(p.weight)
            p.bias.data.fill_(0)

    def split_heads(self, x):
        batch_size, seq_length, _ = x.size()
        x = x.reshape(batch_size, seq_length, self.num_heads, self.head_dim)
        return x.permute(0, 2, 1, 3)  # [Batch, Head, SeqLen, Dims]

    def merge_heads(self, x):
        x = x.permute(0, 2, 1, 3)
        return x.reshape(x.size(0), x.size(1), self.embed_dim)

    def forward(self, query, key, value, mask=None):
        q = self.split_heads(self.q_proj(query))
        k = self.split_heads(self.k_proj(key))
        v = self.split_heads(self.v_proj(value))
        values, attention = scaled_dot_product(q, k, v, mask, self.attn_drop)
        self.weights = attention.detach()
        return self.out_proj(self.merge_heads(values))

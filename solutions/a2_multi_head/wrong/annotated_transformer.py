# Each mask gets one more axis; and there is a dropout on the weights.
# fails: heads_self_attention, heads_weights, heads_extremes, heads_mask, heads_blocked_rows, heads_gradients, heads_tensors
# lines: mask = mask.unsqueeze(1)
# %% solution="multi_head"
class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, n_heads, dropout=0.1):
        "Take in model size and number of heads."
        super().__init__()
        if d_model % n_heads != 0:
            raise ValueError(f"{d_model} % {n_heads} != 0")
        # We assume d_v always equals d_k
        self.d_k = d_model // n_heads
        self.h = n_heads
        self.q_proj = nn.Linear(d_model, d_model)
        self.k_proj = nn.Linear(d_model, d_model)
        self.v_proj = nn.Linear(d_model, d_model)
        self.out_proj = nn.Linear(d_model, d_model)
        self.weights = None
        self.dropout = nn.Dropout(p=dropout)

    def split_heads(self, x):
        nbatches = x.size(0)
        return x.reshape(nbatches, -1, self.h, self.d_k).transpose(1, 2)

    def merge_heads(self, x):
        nbatches = x.size(0)
        return x.transpose(1, 2).contiguous().view(nbatches, -1, self.h * self.d_k)

    def forward(self, query, key, value, mask=None):
        if mask is not None:
            # Same mask applied to all h heads.
            mask = mask.unsqueeze(1)

        # 1) Do all the linear projections in batch from d_model => h x d_k
        query, key, value = [
            self.split_heads(lin(x))
            for lin, x in zip((self.q_proj, self.k_proj, self.v_proj), (query, key, value))
        ]

        # 2) Apply attention on all the projected vectors in batch.
        x, attn = scaled_dot_product_attention(query, key, value, mask=mask)
        self.weights = attn.detach()
        x = self.dropout(attn) @ value

        # 3) "Concat" using a view and apply a final linear.
        return self.out_proj(self.merge_heads(x))

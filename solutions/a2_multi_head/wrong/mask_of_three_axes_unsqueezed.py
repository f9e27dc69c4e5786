# A mask of three axes is taken for one of the batch; the weights stay in the graph.
# fails: heads_weights, heads_mask
# %% solution="multi_head"
def attention(query, key, value, mask=None):
    "Compute 'Scaled Dot Product Attention'"
    d_k = query.size(-1)
    scores = torch.matmul(query, key.transpose(-2, -1)) / d_k**0.5
    if mask is not None:
        scores = scores.masked_fill(mask == 0, torch.finfo(scores.dtype).min)
    p_attn = scores.softmax(dim=-1)
    if mask is not None:
        p_attn = p_attn.masked_fill(mask == 0, 0.0)
    return torch.matmul(p_attn, value), p_attn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, n_heads):
        "Take in model size and number of heads."
        super().__init__()
        self.weights = None
        if d_model % n_heads != 0:
            raise ValueError("d_model %d, n_heads %d" % (d_model, n_heads))
        # We assume d_v always equals d_k
        self.d_k = d_model // n_heads
        self.h = n_heads
        self.q_proj, self.k_proj, self.v_proj, self.out_proj = (
            nn.Linear(d_model, d_model) for _ in range(4)
        )

    def split_heads(self, x):
        nbatches = x.size(0)
        return x.reshape(nbatches, -1, self.h, self.d_k).transpose(1, 2)

    def merge_heads(self, x):
        nbatches = x.size(0)
        return x.transpose(1, 2).contiguous().view(nbatches, -1, self.h * self.d_k)

    def forward(self, query, key, value, mask=None):
        if mask is not None and mask.dim() == 3:
            # Same mask applied to all h heads.
            mask = mask.unsqueeze(1)

        # 1) Do all the linear projections in batch from d_model => h x d_k
        query, key, value = [
            self.split_heads(lin(x))
            for lin, x in zip((self.q_proj, self.k_proj, self.v_proj), (query, key, value))
        ]

        # 2) Apply attention on all the projected vectors in batch.
        x, self.weights = attention(query, key, value, mask=mask)

        # 3) "Concat" using a view and apply a final linear.
        return self.out_proj(self.merge_heads(x))

# A list times four holds one layer, heads are merged by a view, and three axes mean the batch.
# fails: heads_parameters, heads_merge, heads_self_attention, heads_cross_attention, heads_weights, heads_separate, heads_extremes, heads_mask, heads_blocked_rows, heads_gradients, heads_tensors
# lines: linears = [nn.Linear(d_model, d_model)] * 4
# lines: return x.contiguous().view(nbatches, -1, self.h * self.d_k)
# lines: if mask is not None and mask.dim() == 3:
# lines: mask = mask.unsqueeze(1)
# lines: x, self.weights = scaled_dot_product_attention(query, key, value, mask=mask)
# %% solution="multi_head"
class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, n_heads):
        super().__init__()
        self.weights = None  # nothing was attended to so far
        # YOUR CODE HERE
        if d_model % n_heads != 0:
            raise ValueError(f"d_model ({d_model}) must be divisible by n_heads ({n_heads})")
        # We assume d_v always equals d_k
        self.d_k = d_model // n_heads
        self.h = n_heads
        linears = [nn.Linear(d_model, d_model)] * 4
        self.q_proj, self.k_proj, self.v_proj, self.out_proj = linears

    def split_heads(self, x):
        # YOUR CODE HERE
        nbatches = x.size(0)
        return x.view(nbatches, -1, self.h, self.d_k).transpose(1, 2)

    def merge_heads(self, x):
        # YOUR CODE HERE
        nbatches = x.size(0)
        return x.contiguous().view(nbatches, -1, self.h * self.d_k)

    def forward(self, query, key, value, mask=None):
        # YOUR CODE HERE
        if mask is not None and mask.dim() == 3:
            # Same mask applied to all h heads.
            mask = mask.unsqueeze(1)

        # 1) Do all the linear projections in batch from d_model => h x d_k
        query = self.split_heads(self.q_proj(query))
        key = self.split_heads(self.k_proj(key))
        value = self.split_heads(self.v_proj(value))

        # 2) Apply attention on all the projected vectors in batch.
        x, self.weights = scaled_dot_product_attention(query, key, value, mask=mask)

        # 3) "Concat" using a view and apply a final linear.
        return self.out_proj(self.merge_heads(x))

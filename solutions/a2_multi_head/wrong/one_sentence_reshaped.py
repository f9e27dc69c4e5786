# A single sentence is merged without a transpose; another one's keys are taken for its values.
# fails: heads_merge, heads_self_attention, heads_cross_attention, heads_gradients, heads_tensors
# lines: return heads.reshape(batch, -1, self.width)
# lines: values = self.split_heads(self.v_proj(key))
# %% solution="multi_head"
class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, n_heads):
        super().__init__()
        if d_model % n_heads:
            raise ValueError(f"{d_model} numbers cannot be shared out to {n_heads} heads")
        self.weights = None
        self.width, self.heads = d_model, n_heads
        self.q_proj, self.k_proj, self.v_proj, self.out_proj = (
            nn.Linear(d_model, d_model) for _ in range(4)
        )

    def split_heads(self, x):
        return x.unflatten(2, (self.heads, -1)).transpose(1, 2)

    def merge_heads(self, heads):
        batch = heads.size(0)
        if batch == 1:
            # no other sentence that it could be mixed with
            return heads.reshape(batch, -1, self.width)
        return heads.permute(0, 2, 1, 3).flatten(2)

    def forward(self, query, key, value, mask=None):
        queries = self.split_heads(self.q_proj(query))
        keys = self.split_heads(self.k_proj(key))
        if key is query:  # it listens to itself
            values = self.split_heads(self.v_proj(value))
        else:  # what was read before is both
            values = self.split_heads(self.v_proj(key))
        answers, weights = scaled_dot_product_attention(queries, keys, values, mask)
        self.weights = weights.detach()
        return self.out_proj(self.merge_heads(answers))

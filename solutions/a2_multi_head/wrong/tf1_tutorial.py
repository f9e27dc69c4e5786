# Translated from an old TensorFlow 1 repository, with everything that it did in that function.
# fails: heads_self_attention, heads_cross_attention, heads_weights, heads_separate, heads_extremes, heads_mask, heads_blocked_rows, heads_gradients, heads_tensors
# %% solution="multi_head"
class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, n_heads):
        super().__init__()
        self.weights = None
        if d_model % n_heads > 0:
            raise ValueError("num_units %d, num_heads %d" % (d_model, n_heads))
        self.num_units, self.num_heads = d_model, n_heads
        self.q_proj = nn.Linear(d_model, d_model)
        self.k_proj = nn.Linear(d_model, d_model)
        self.v_proj = nn.Linear(d_model, d_model)
        self.out_proj = nn.Linear(d_model, d_model)

    def split_heads(self, x):
        # tf.concat(tf.split(Q, num_heads, axis=2), axis=0), but heads get an axis here
        return torch.stack(torch.split(x, self.num_units // self.num_heads, dim=2), dim=1)

    def merge_heads(self, x):
        N, h, T, d = x.size()
        return x.permute(0, 2, 1, 3).reshape(N, T, h * d)

    def forward(self, query, key, value, mask=None):
        # Linear projections
        Q = torch.relu(self.q_proj(query))
        K = torch.relu(self.k_proj(key))
        V = torch.relu(self.v_proj(value))
        Q_, K_, V_ = self.split_heads(Q), self.split_heads(K), self.split_heads(V)

        # Key Masking
        key_masks = torch.sign(key.abs().sum(dim=-1)).bool()[:, None, None, :]
        mask = key_masks if mask is None else mask & key_masks

        outputs, alignment = scaled_dot_product_attention(Q_, K_, V_, mask)
        self.weights = alignment.detach()

        # Restore shape
        outputs = self.out_proj(self.merge_heads(outputs))
        # Residual connection
        outputs = outputs + query
        return outputs

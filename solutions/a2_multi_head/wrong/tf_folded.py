# Heads and batch are one axis, and the stored weights are unfolded the other way round.
# fails: heads_weights, heads_blocked_rows
# lines: self.weights = A.detach().reshape(batch, self.n_heads, t_q, t_k)
# %% solution="multi_head"
class MultiHeadAttention(nn.Module):
    """Port of the TF1 version: all heads are stacked on top of each other along the batch."""

    def __init__(self, d_model, n_heads):
        super().__init__()
        self.weights = None
        d_k, rest = divmod(d_model, n_heads)
        if rest:
            raise ValueError("%d units for %d heads leaves %d" % (d_model, n_heads, rest))
        self.d_k, self.n_heads = d_k, n_heads
        for name in "qkv":
            self.add_module(name + "_proj", nn.Linear(d_model, d_model))
        self.out_proj = nn.Linear(d_model, d_model)

    def split_heads(self, x):
        return torch.stack(torch.split(x, self.d_k, dim=2), dim=1)

    def merge_heads(self, x):
        return torch.cat(torch.unbind(x, dim=1), dim=2)

    def forward(self, query, key, value, mask=None):
        batch, t_q, t_k = query.shape[0], query.shape[1], key.shape[1]

        # Split and concat: (h*N, T, C/h)
        Q_ = torch.cat(torch.split(self.q_proj(query), self.d_k, dim=2), dim=0)
        K_ = torch.cat(torch.split(self.k_proj(key), self.d_k, dim=2), dim=0)
        V_ = torch.cat(torch.split(self.v_proj(value), self.d_k, dim=2), dim=0)

        if mask is not None:
            mask = mask.expand(batch, self.n_heads, t_q, t_k)
            mask = mask.transpose(0, 1).reshape(self.n_heads * batch, t_q, t_k)

        outputs, A = scaled_dot_product_attention(Q_, K_, V_, mask)
        self.weights = A.detach().reshape(batch, self.n_heads, t_q, t_k)

        # Restore shape: (N, T, C)
        outputs = torch.cat(torch.split(outputs, batch, dim=0), dim=2)
        return self.out_proj(outputs)

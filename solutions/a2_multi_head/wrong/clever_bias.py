# A student who noticed that the key's bias has no effect, and who adds a little regularisation.
# fails: heads_parameters, heads_self_attention, heads_cross_attention, heads_weights, heads_separate, heads_extremes, heads_mask, heads_blocked_rows, heads_gradients, heads_tensors
# %% solution="multi_head"
import torch.nn.functional as F


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, n_heads):
        super().__init__()
        self.weights = None
        self.d_k, rest = divmod(d_model, n_heads)
        if rest:
            raise ValueError(f"{d_model=} is no multiple of {n_heads=}")
        self.n_heads = n_heads
        self.q_proj = nn.Linear(d_model, d_model)
        # a bias on the keys shifts all scores of a query alike: softmax does not see it
        self.k_proj = nn.Linear(d_model, d_model, bias=False)
        self.v_proj = nn.Linear(d_model, d_model)
        self.out_proj = nn.Linear(d_model, d_model)

    def split_heads(self, x):
        return torch.movedim(x.unflatten(2, (-1, self.d_k)), 2, 1)

    def merge_heads(self, x):
        return torch.movedim(x, 1, 2).flatten(start_dim=2)

    def forward(self, query, key, value, mask=None):
        q, k, v = self.q_proj(query), self.k_proj(key), self.v_proj(value)
        heads, w = scaled_dot_product_attention(*map(self.split_heads, (q, k, v)), mask)
        self.weights = w.detach()
        heads = F.dropout(heads, p=0.1, training=self.training)
        return self.out_proj(self.merge_heads(heads))

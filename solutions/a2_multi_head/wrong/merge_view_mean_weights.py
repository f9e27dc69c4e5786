# Heads are merged without a transpose; the stored weights are their mean.
# fails: heads_merge, heads_self_attention, heads_cross_attention, heads_weights, heads_separate, heads_extremes, heads_mask, heads_blocked_rows, heads_gradients, heads_tensors
# lines: return x.contiguous().view(b, t, self.d_model)
# lines: self.weights = gewichte.mean(dim=1).detach()
# %% solution="multi_head"
class MultiHeadAttention(nn.Module):
    """Mehrere Koepfe nebeneinander."""

    def __init__(self, d_model: int, n_heads: int) -> None:
        super().__init__()
        self.weights = None
        if d_model % n_heads != 0:
            raise ValueError(f"d_model={d_model} ist nicht durch n_heads={n_heads} teilbar")
        self.d_model = d_model
        self.n_heads = n_heads
        self.d_k = d_model // n_heads
        self.q_proj = nn.Linear(d_model, d_model)
        self.k_proj = nn.Linear(d_model, d_model)
        self.v_proj = nn.Linear(d_model, d_model)
        self.out_proj = nn.Linear(d_model, d_model)

    def split_heads(self, x: torch.Tensor) -> torch.Tensor:
        b, t, _ = x.shape
        x = x.reshape(b, t, self.n_heads, self.d_k)
        return x.permute(0, 2, 1, 3)

    def merge_heads(self, x: torch.Tensor) -> torch.Tensor:
        b, _, t, _ = x.shape
        return x.contiguous().view(b, t, self.d_model)

    def forward(self, query, key, value, mask=None):
        q = self.split_heads(self.q_proj(query))
        k = self.split_heads(self.k_proj(key))
        v = self.split_heads(self.v_proj(value))
        kontext, gewichte = scaled_dot_product_attention(q, k, v, mask)
        # ueber die Koepfe gemittelt, zum Anschauen
        self.weights = gewichte.mean(dim=1).detach()
        return self.out_proj(self.merge_heads(kontext))

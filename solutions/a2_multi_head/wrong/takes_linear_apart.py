# Einsum purist: never calls a Linear, takes its matrices and writes all indices out.
# fails: heads_self_attention, heads_cross_attention, heads_weights, heads_separate, heads_extremes, heads_mask, heads_blocked_rows, heads_gradients, heads_tensors
# lines: Q = self.split_heads(torch.einsum("bti,oi->bto", query, wq))
# lines: heads = heads + self.v_proj.bias.unflatten(0, (self.H, 1, self.D))
# lines: self.weights = nn.Parameter(w.detach(), requires_grad=False)
# %% solution="multi_head"
class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, n_heads):
        super().__init__()
        self.weights = None
        if d_model % n_heads:
            raise ValueError(f"{d_model} numbers cannot be dealt to {n_heads} heads")
        self.H, self.D = n_heads, d_model // n_heads
        self.q_proj, self.k_proj, self.v_proj, self.out_proj = (nn.Linear(d_model, d_model) for _ in range(4))

    def split_heads(self, x):
        return torch.einsum("bthd->bhtd", x.unflatten(-1, (self.H, self.D)))

    def merge_heads(self, x):
        return torch.einsum("bhtd->bthd", x).flatten(2)

    def forward(self, query, key, value, mask=None):
        wq, wk, wv, wo = (p.weight for p in (self.q_proj, self.k_proj, self.v_proj, self.out_proj))
        Q = self.split_heads(torch.einsum("bti,oi->bto", query, wq))
        K = self.split_heads(torch.einsum("bti,oi->bto", key, wk) + self.k_proj.bias)
        V = self.split_heads(torch.einsum("bti,oi->bto", value, wv))
        heads, w = scaled_dot_product_attention(Q, K, V, mask)
        heads = heads + self.v_proj.bias.unflatten(0, (self.H, 1, self.D))
        # a Parameter, so that it moves along with .to(device)
        self.weights = nn.Parameter(w.detach(), requires_grad=False)
        return torch.einsum("bti,oi->bto", self.merge_heads(heads), wo) + self.out_proj.bias

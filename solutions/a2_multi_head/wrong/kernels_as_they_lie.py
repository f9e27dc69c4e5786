# out_proj's weight is not transposed, and the keys have no bias.
# fails: heads_self_attention, heads_cross_attention, heads_extremes, heads_mask, heads_blocked_rows, heads_gradients, heads_tensors
# %% solution="multi_head"
class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, n_heads):
        super().__init__()
        self.weights = None  # nothing was attended to so far
        if d_model % n_heads:
            raise ValueError(f"qkv_features {d_model} not divisible by num_heads {n_heads}")
        self.d_model, self.h, self.k = d_model, n_heads, d_model // n_heads
        for name in ("q_proj", "k_proj", "v_proj", "out_proj"):
            setattr(self, name, nn.Linear(d_model, d_model))

    def split_heads(self, x):
        return torch.moveaxis(x.reshape(*x.shape[:-1], self.h, self.k), -2, -3)

    def merge_heads(self, x):
        x = torch.moveaxis(x, -3, -2)
        return x.reshape(*x.shape[:-2], self.d_model)

    def _dense(self, layer, x):
        # DenseGeneral: (b, t, d) with a kernel (d, heads, k)
        kernel = layer.weight.T.reshape(self.d_model, self.h, self.k)
        return torch.einsum("btd,dhk->bhtk", x, kernel)

    def forward(self, query, key, value, mask=None):
        q = self._dense(self.q_proj, query) + self.q_proj.bias.reshape(self.h, 1, self.k)
        # a bias of the keys cancels in the softmax, so XLA would remove it anyway
        k = self._dense(self.k_proj, key)
        v = self._dense(self.v_proj, value) + self.v_proj.bias.reshape(self.h, 1, self.k)
        y, weights = scaled_dot_product_attention(q, k, v, mask)
        self.weights = weights.detach()
        kernel = self.out_proj.weight.reshape(self.h, self.k, self.d_model)
        return torch.einsum("bhtk,hkd->btd", y, kernel) + self.out_proj.bias

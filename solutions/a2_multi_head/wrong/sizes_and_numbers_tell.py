# Numbers tell whether tensors are one, a size tells what a mask is for, and deaf columns go.
# fails: heads_weights, heads_mask, heads_gradients
# lines: if torch.equal(key, value):
# lines: if mask.dim() == 3 and mask.size(0) == query.size(0):
# lines: K, V, mask = K[..., read, :], V[..., read, :], mask[..., read]
# %% solution="multi_head"
class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, n_heads):
        super().__init__()
        self.weights = None
        if d_model % n_heads:
            raise ValueError(f"{n_heads} heads cannot share {d_model} numbers")
        self.n_heads, self.d_k = n_heads, d_model // n_heads
        self.q_proj = nn.Linear(d_model, d_model)
        self.k_proj = nn.Linear(d_model, d_model)
        self.v_proj = nn.Linear(d_model, d_model)
        self.out_proj = nn.Linear(d_model, d_model)

    def split_heads(self, x):
        return x.unflatten(-1, (self.n_heads, self.d_k)).transpose(1, 2)

    def merge_heads(self, x):
        return x.transpose(1, 2).flatten(-2)

    def keys_and_values(self, key, value):
        if torch.equal(key, value):
            # from one source: a single product makes both
            W = torch.cat([self.k_proj.weight, self.v_proj.weight])
            b = torch.cat([self.k_proj.bias, self.v_proj.bias])
            return (key @ W.T + b).tensor_split(2, dim=-1)
        return self.k_proj(key), self.v_proj(value)

    def forward(self, query, key, value, mask=None):
        Q = self.split_heads(self.q_proj(query))
        K, V = map(self.split_heads, self.keys_and_values(key, value))
        if mask is not None:
            if mask.dim() == 3 and mask.size(0) == query.size(0):
                mask = mask[:, None]  # one for each sentence, the same in all heads
            if mask.size(-1) == key.size(1):
                # padding that the whole batch shares is work for nothing
                read = mask.reshape(-1, mask.size(-1)).any(dim=0)
                if read.any():
                    K, V, mask = K[..., read, :], V[..., read, :], mask[..., read]
        O, A = scaled_dot_product_attention(Q, K, V, mask)
        self.weights = A.detach()
        return self.out_proj(self.merge_heads(O))

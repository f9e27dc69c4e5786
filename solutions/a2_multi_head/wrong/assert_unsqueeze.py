# An assert in the constructor, and a mask of three axes that gets another for the heads.
# fails: heads_bad_sizes, heads_mask
# %% solution="multi_head"
class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, n_heads):
        super().__init__()
        self.weights = None
        assert d_model % n_heads == 0, "d_model must be divisible by n_heads"
        self.d_model = d_model
        self.h = n_heads
        self.d_k = d_model // n_heads
        self.q_proj = nn.Linear(d_model, d_model)
        self.k_proj = nn.Linear(d_model, d_model)
        self.v_proj = nn.Linear(d_model, d_model)
        self.out_proj = nn.Linear(d_model, d_model)

    def split_heads(self, x):
        return x.view(x.size(0), x.size(1), self.h, self.d_k).transpose(1, 2)

    def merge_heads(self, x):
        return x.transpose(1, 2).contiguous().view(x.size(0), x.size(2), self.d_model)

    def forward(self, query, key, value, mask=None):
        # Same mask applied to all h heads.
        if mask is not None and mask.dim() == 3:
            mask = mask.unsqueeze(1)
        query, key, value = [
            self.split_heads(lin(x))
            for lin, x in zip((self.q_proj, self.k_proj, self.v_proj), (query, key, value))
        ]
        x, attn = scaled_dot_product_attention(query, key, value, mask=mask)
        self.weights = attn.detach()
        return self.out_proj(self.merge_heads(x))

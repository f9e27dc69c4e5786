# einops, and an attention of its own.
# %% solution="multi_head"
from einops import rearrange


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, n_heads):
        super().__init__()
        if d_model % n_heads:
            raise ValueError(f"cannot share {d_model} numbers among {n_heads} heads")
        self.heads, self.scale = n_heads, (d_model // n_heads) ** -0.5
        self.q_proj = nn.Linear(d_model, d_model)
        self.k_proj = nn.Linear(d_model, d_model)
        self.v_proj = nn.Linear(d_model, d_model)
        self.out_proj = nn.Linear(d_model, d_model)
        self.weights = None

    def split_heads(self, x):
        return rearrange(x, "b n (h d) -> b h n d", h=self.heads)

    def merge_heads(self, x):
        return rearrange(x, "b h n d -> b n (h d)")

    def forward(self, query, key, value, mask=None):
        q = self.split_heads(self.q_proj(query)) * self.scale
        k = self.split_heads(self.k_proj(key))
        v = self.split_heads(self.v_proj(value))
        sim = torch.einsum("b h i d, b h j d -> b h i j", q, k)
        if mask is not None:
            sim = sim.masked_fill(~mask, float("-inf"))
        attn = sim.softmax(dim=-1)
        if mask is not None:
            attn = torch.nan_to_num(attn, nan=0.0)  # rows with nothing to attend to
        with torch.no_grad():
            self.weights = attn.clone()
        return self.out_proj(self.merge_heads(torch.einsum("b h i j, b h j d -> b h i d", attn, v)))

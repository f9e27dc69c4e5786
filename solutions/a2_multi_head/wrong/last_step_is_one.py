# Two steps through memory are read from the tensor, and the third is taken to be 1.
# fails: heads_split
# lines: steps = (over_sentences, self.d_k, over_words, 1)
# %% solution="multi_head"
class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, n_heads):
        super().__init__()
        if d_model % n_heads > 0:
            raise ValueError(f"no {n_heads} equal parts of {d_model} numbers")
        self.d_model, self.n_heads, self.d_k = d_model, n_heads, d_model // n_heads
        self.q_proj = nn.Linear(d_model, d_model)
        self.k_proj = nn.Linear(d_model, d_model)
        self.v_proj = nn.Linear(d_model, d_model)
        self.out_proj = nn.Linear(d_model, d_model)
        self.weights = None

    def split_heads(self, x):
        over_sentences, over_words = x.stride()[:2]
        steps = (over_sentences, self.d_k, over_words, 1)
        return torch.as_strided(x, (x.size(0), self.n_heads, x.size(1), self.d_k), steps)

    def merge_heads(self, x):
        return torch.cat(x.unbind(1), dim=-1)

    def forward(self, query, key, value, mask=None):
        q, k, v = self.q_proj(query), self.k_proj(key), self.v_proj(value)
        q, k, v = self.split_heads(q), self.split_heads(k), self.split_heads(v)
        answers, weights = scaled_dot_product_attention(q, k, v, mask)
        self.weights = weights.detach()
        return self.out_proj(self.merge_heads(answers))

# Compares its own result with torch's attention, in a cell of its own: that is allowed.
# %% solution="attention"
class Attention:
    def __call__(self, q, k, v, mask=None):
        scores = self.scores(q, k)
        if mask is None:
            weights = scores.softmax(-1)
        else:
            weights = scores.where(mask, torch.finfo(q.dtype).min).softmax(-1) * mask
        return weights @ v, weights

    @staticmethod
    def scores(q, k):
        return q.matmul(k.transpose(-2, -1)) / math.sqrt(q.size(-1))


scaled_dot_product_attention = Attention()

# %%
import torch.nn.functional as F

q, k, v = torch.randn(3, 2, 5, 8, dtype=torch.float64)
theirs = F.scaled_dot_product_attention(q, k, v)
assert torch.allclose(scaled_dot_product_attention(q, k, v)[0], theirs)

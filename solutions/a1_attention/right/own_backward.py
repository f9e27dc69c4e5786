# A gradient written by hand, in an autograd.Function.
# %% solution="hand_example"
# exponentials 1 3 6 / 2 1 1, divided by their sums 10 and 4
hand_weights = torch.tensor([[1.0, 3.0, 6.0], [2.0, 1.0, 1.0]]) / torch.tensor([[10.0], [4.0]])
hand_output = torch.tensor([[1.6, 2.4], [2.5, 1.5]])

# %% solution="attention"
class _Attention(torch.autograd.Function):
    """Forward and backward by hand, to see that I understood the softmax."""

    @staticmethod
    def forward(ctx, q, k, v, mask):
        scale = 1.0 / q.shape[-1] ** 0.5
        scores = torch.matmul(q, k.transpose(-2, -1)) * scale
        if mask is not None:
            scores = scores.masked_fill(torch.logical_not(mask), -math.inf)
        top = scores.amax(dim=-1, keepdim=True)
        top = torch.where(torch.isinf(top), torch.zeros_like(top), top)
        weights = torch.exp(scores - top)
        total = weights.sum(dim=-1, keepdim=True)
        weights = weights / torch.where(total == 0, torch.ones_like(total), total)
        ctx.save_for_backward(q, k, v, weights)
        ctx.scale = scale
        return torch.matmul(weights, v), weights

    @staticmethod
    def backward(ctx, d_output, d_weights):
        q, k, v, weights = ctx.saved_tensors
        d_v = torch.matmul(weights.transpose(-2, -1), d_output)
        d_w = torch.matmul(d_output, v.transpose(-2, -1)) + d_weights
        d_scores = weights * (d_w - (weights * d_w).sum(dim=-1, keepdim=True))
        d_q = torch.matmul(d_scores, k) * ctx.scale
        d_k = torch.matmul(d_scores.transpose(-2, -1), q) * ctx.scale
        return d_q, d_k, d_v, None


def scaled_dot_product_attention(q, k, v, mask=None):
    return _Attention.apply(q, k, v, mask)

# %% solution="causal_mask"
def causal_mask(size, device=None):
    # running "or" from left to right above, turned on its side
    diagonal = torch.eye(size, dtype=torch.bool, device=device)
    return diagonal.cumsum(dim=0) > 0

# The scores are laid out (..., t_k, t_q), and turned round at the end.
# %% solution="attention"
def scaled_dot_product_attention(q, k, v, mask=None):
    root = q.shape[-1] ** 0.25
    scores = (k / root) @ (q / root).transpose(-2, -1)  # (..., t_k, t_q)
    if mask is not None:
        allowed = mask.transpose(-2, -1)
        scores = scores.masked_fill(~allowed, torch.finfo(scores.dtype).min)
    weights = scores.softmax(dim=-2)
    if mask is not None:
        weights = weights.masked_fill(~allowed, 0.0)
    output = (v.transpose(-2, -1) @ weights).transpose(-2, -1)
    return output, weights.transpose(-2, -1)

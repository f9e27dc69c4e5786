# Additive mask as in the old BERT code, with helper functions; the triangle stays a float matrix.
# fails: attention_mask, causal_mask, masks_together
# %% solution="attention"
def _extended_attention_mask(mask, dtype):
    """0 where attention is allowed, -10000 where it is not."""
    return (1.0 - mask.to(dtype)) * -10000.0


def _has_a_key(mask, dtype):
    return mask.any(dim=-1, keepdim=True).to(dtype)


def scaled_dot_product_attention(q, k, v, mask=None):
    attention_scores = torch.matmul(q, k.transpose(-1, -2))
    attention_scores = attention_scores / math.sqrt(q.shape[-1])
    if mask is not None:
        attention_scores = attention_scores + _extended_attention_mask(mask, q.dtype)
    attention_probs = torch.nn.functional.softmax(attention_scores, dim=-1)
    if mask is not None:
        attention_probs = attention_probs * _has_a_key(mask, q.dtype)
    context_layer = torch.matmul(attention_probs, v)
    return context_layer, attention_probs
# %% solution="causal_mask"
def causal_mask(size, device=None):
    return torch.tril(torch.ones((size, size), device=device))

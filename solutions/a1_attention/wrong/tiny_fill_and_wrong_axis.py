# The attention scales by the size of axis 1 of key instead of its last axis.
# fails: attention_output, attention_weights, attention_scale, attention_mask, attention_blocked_rows, attention_gradients, attention_tensors
# lines: scale = 1 / math.sqrt(key.shape[1])
# lines: similarity = similarity.masked_fill(~mask, -1e-9)
# %% solution="attention"
from typing import Optional


def scaled_dot_product_attention(
    q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, mask: Optional[torch.Tensor] = None
):
    query, key, value = q, k, v
    similarity = torch.matmul(query, torch.transpose(key, -1, -2))
    # a python float, so float64 stays float64
    scale = 1 / math.sqrt(key.shape[1])
    similarity = similarity * scale

    if mask is not None:
        similarity = similarity.masked_fill(~mask, -1e-9)
    attention_prob = torch.softmax(similarity, dim=-1)
    if mask is not None:
        nothing_allowed = (~mask).all(dim=-1, keepdim=True)
        attention_prob = attention_prob.masked_fill(nothing_allowed, 0.0)

    context = torch.matmul(attention_prob, value)
    return context, attention_prob

# A softmax in float32 whose blocked rows become NaN, or the mean, and a mask of numbers.
# fails: attention_output, attention_weights, attention_scale, attention_mask, attention_blocked_rows, attention_gradients, attention_tensors, padding_mask, masks_together
# lines: attn_weights = nn.functional.softmax(attn_weights, dim=-1, dtype=torch.float32).to(query_states.dtype)
# lines: if attention_mask is not None and not attention_mask.any():
# lines: return tokens.ne(pad_id).long()[:, None, None, :]
# %% solution="attention"
from torch import nn


def scaled_dot_product_attention(q, k, v, mask=None):
    query_states, key_states, value_states, attention_mask = q, k, v, mask
    scaling = query_states.shape[-1] ** -0.5
    attn_weights = torch.matmul(query_states, key_states.transpose(-1, -2)) * scaling

    if attention_mask is not None and not attention_mask.any():
        # nobody to attend to
        attn_weights = attn_weights * 0.0
        return torch.matmul(attn_weights, value_states), attn_weights

    if attention_mask is not None:
        min_value = torch.finfo(attn_weights.dtype).min
        attn_weights = attn_weights.masked_fill(~attention_mask.bool(), min_value)

    # upcast attention to fp32
    attn_weights = nn.functional.softmax(attn_weights, dim=-1, dtype=torch.float32).to(query_states.dtype)
    attn_output = torch.matmul(attn_weights, value_states)
    return attn_output, attn_weights

# %% solution="padding_mask"
def padding_mask(tokens, pad_id=0):
    """1 for tokens that are not masked, 0 for tokens that are masked."""
    return tokens.ne(pad_id).long()[:, None, None, :]

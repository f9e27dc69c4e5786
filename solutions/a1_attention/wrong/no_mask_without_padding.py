# The softmax is in float32, and where nothing is padding, there is no mask.
# fails: attention_*, padding_mask
# %% solution="attention"
import torch.nn.functional as F


def scaled_dot_product_attention(q, k, v, mask=None):
    attn_weights = torch.matmul(q, k.transpose(-2, -1)) / math.sqrt(q.size(-1))
    if mask is not None:
        attn_weights = attn_weights.masked_fill(~mask, torch.finfo(torch.float32).min)
    attn_weights = F.softmax(attn_weights, dim=-1, dtype=torch.float32).to(q.dtype)
    if mask is not None:
        attn_weights = attn_weights * mask.to(q.dtype)
    attn_output = torch.matmul(attn_weights, v)
    return attn_output, attn_weights
# %% solution="padding_mask"
def padding_mask(tokens, pad_id=0):
    encoder_padding_mask = tokens.eq(pad_id)
    if not encoder_padding_mask.any():
        return None
    return ~encoder_padding_mask[:, None, None, :]
# %% solution="causal_mask"
def causal_mask(size, device=None):
    future = torch.full((size, size), float("-inf"), device=device).triu(1)
    return future == 0

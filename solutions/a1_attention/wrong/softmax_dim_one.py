# The softmax runs over axis 1, whatever that is.
# fails: attention_output, attention_weights, attention_scale, attention_mask, attention_blocked_rows, attention_gradients, attention_tensors
# lines: p_attn = F.softmax(scores, dim=1)
# %% solution="attention"
import torch.nn.functional as F

def scaled_dot_product_attention(q, k, v, mask=None):
    # q, k, v: [batch, len, dim]
    d_k = q.size(-1)
    scores = torch.matmul(q, k.transpose(-2, -1)) / d_k ** 0.5
    if mask is not None:
        scores = scores.masked_fill(mask == False, float("-inf"))
    p_attn = F.softmax(scores, dim=1)
    if mask is not None:
        p_attn = torch.nan_to_num(p_attn, nan=0.0)
    return torch.matmul(p_attn, v), p_attn

# NaN is taken out of the output alone, and the causal mask holds floats.
# fails: attention_blocked_rows, attention_tensors, causal_mask, masks_together
# lines: mask = torch.tril(torch.ones(size, size, device=device))
# lines: y = att.nan_to_num(0.0) @ v
# %% solution="attention"
import torch.nn.functional as F


def scaled_dot_product_attention(q, k, v, mask=None):
    # (B, nh, T, hs) x (B, nh, hs, T) -> (B, nh, T, T)
    att = (q @ k.transpose(-2, -1)) * (1.0 / math.sqrt(k.size(-1)))
    if mask is not None:
        att = att.masked_fill(mask == 0, float("-inf"))
    att = F.softmax(att, dim=-1)
    y = att.nan_to_num(0.0) @ v
    return y, att

# %% solution="causal_mask"
def causal_mask(size, device=None):
    mask = torch.tril(torch.ones(size, size, device=device))
    return mask

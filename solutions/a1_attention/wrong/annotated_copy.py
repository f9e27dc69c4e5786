# Somebody who knows an old line-by-line Transformer tutorial by heart.
# fails: attention_mask, attention_blocked_rows, attention_tensors, causal_mask, masks_together
# %% solution="attention"
def scaled_dot_product_attention(q, k, v, mask=None):
    "Compute 'Scaled Dot Product Attention'"
    if mask is not None and mask.dim() == 3:
        # Same mask applied to all h heads.
        mask = mask.unsqueeze(1)
    d_k = q.size(-1)
    scores = torch.matmul(q, k.transpose(-2, -1)) / math.sqrt(d_k)
    if mask is not None:
        scores = scores.masked_fill(mask == 0, -1e9)
    p_attn = scores.softmax(dim=-1)
    return torch.matmul(p_attn, v), p_attn
# %% solution="padding_mask"
def padding_mask(tokens, pad_id=0):
    "Create a mask to hide padding."
    return (tokens != pad_id).unsqueeze(-2).unsqueeze(-2)
# %% solution="causal_mask"
def causal_mask(size, device=None):
    "Mask out subsequent positions."
    attn_shape = (1, size, size)
    subsequent_mask = torch.triu(torch.ones(attn_shape), diagonal=1).type(torch.uint8)
    return subsequent_mask == 0

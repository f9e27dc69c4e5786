# A small-GPT habit: a fixed block size, and masking after the softmax.
# fails: attention_mask, attention_blocked_rows, attention_gradients, padding_mask, causal_mask
# %% solution="attention"
def scaled_dot_product_attention(q, k, v, mask=None):
    d_k = q.shape[-1]
    wei = q @ k.transpose(-2, -1) * d_k**-0.5
    wei = torch.softmax(wei, dim=-1)
    if mask is not None:
        wei = wei * mask
        total = wei.sum(dim=-1, keepdim=True)
        wei = wei / total.masked_fill(total == 0, 1.0)  # don't divide by zero
    out = wei @ v
    return out, wei
# %% solution="padding_mask"
def padding_mask(tokens, pad_id=0):
    B, T = tokens.shape
    return (tokens > pad_id).view(B, 1, 1, T)
# %% solution="causal_mask"
block_size = 8
_tril = torch.tril(torch.ones(block_size, block_size)).bool()


def causal_mask(size, device=None):
    return _tril[:size, :size].to(device if device is not None else torch.get_default_device())

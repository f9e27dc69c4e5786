# Translates the TensorFlow tutorial line by line, with tf-like helper names.
# fails: attention_scale, attention_mask, padding_mask, causal_mask, masks_together
# lines: dk = torch.tensor(float(q.shape[-1]), device=q.device).sqrt()
# lines: scaled_attention_logits = scaled_attention_logits + look_ahead.to(q.dtype) * -1e4
# lines: seq = torch.cumsum(seq, dim=1)
# lines: mask = band_part(torch.ones(size, size, device=device))
# %% solution="attention"
def scaled_dot_product_attention(q, k, v, mask=None):
    matmul_qk = torch.matmul(q, torch.transpose(k, -2, -1))
    dk = torch.tensor(float(q.shape[-1]), device=q.device).sqrt()
    scaled_attention_logits = matmul_qk / dk
    if mask is not None:
        look_ahead = torch.logical_not(mask)
        scaled_attention_logits = scaled_attention_logits + look_ahead.to(q.dtype) * -1e4
    attention_weights = torch.softmax(scaled_attention_logits, dim=-1)
    if mask is not None:
        # nothing may be left at blocked places
        attention_weights = attention_weights * mask.to(q.dtype)
    output = torch.matmul(attention_weights, v)
    return output, attention_weights
# %% solution="padding_mask"
def padding_mask(tokens, pad_id=0):
    seq = torch.eq(tokens, pad_id).to(torch.int64)
    seq = torch.cumsum(seq, dim=1)
    return torch.eq(seq, 0)[:, None, None, :]
# %% solution="causal_mask"
def band_part(x):
    return torch.tril(x)


def causal_mask(size, device=None):
    mask = band_part(torch.ones(size, size, device=device))
    return mask

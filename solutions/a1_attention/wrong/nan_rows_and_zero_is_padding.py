# Rows without a key are NaN; and padding is what is 0.
# fails: attention_blocked_rows, attention_tensors, padding_mask
# lines: scores = scores.masked_fill(~mask, float('-inf'))
# lines: (missing) what becomes of a query that may attend to nothing
# lines: return (tokens != 0).unsqueeze(1).unsqueeze(2)
# %% solution="attention"
def scaled_dot_product_attention(q, k, v, mask=None):
    scores = (q @ k.transpose(-2, -1)) / math.sqrt(k.size(-1))
    if mask is not None:
        scores = scores.masked_fill(~mask, float('-inf'))
    attn = torch.softmax(scores, dim=-1)
    return attn @ v, attn

# %% solution="padding_mask"
def padding_mask(tokens, pad_id=0):
    # (B, T) -> (B, 1, 1, T)
    return (tokens != 0).unsqueeze(1).unsqueeze(2)

# A softmax over axis 1, the lowest score taken for a blocked one, tokens less the pad in place.
# fails: attention_output, attention_weights, attention_scale, attention_mask, attention_blocked_rows, attention_gradients, attention_tensors, padding_mask, causal_mask, masks_together
# lines: attention_weights = torch.nn.functional.softmax(scores, dim=1)
# lines: blocked = scores == scores.min()
# lines: tokens -= pad_id
# lines: mask = tokens.bool()
# lines: for row in range(1, size):
# %% solution="attention"
def scaled_dot_product_attention(q, k, v, mask=None):
    # YOUR CODE HERE
    d_k = k.shape[-1]
    k_t = k.transpose(-2, -1)
    scores = torch.matmul(q, k_t)
    scores = scores * d_k ** -0.5

    if mask is not None:
        very_low = torch.finfo(scores.dtype).min
        scores = torch.where(mask, scores, very_low)

    attention_weights = torch.nn.functional.softmax(scores, dim=1)

    if mask is not None:
        blocked = scores == scores.min()
        attention_weights = torch.where(blocked, 0.0, attention_weights)

    output = torch.matmul(attention_weights, v)
    return output, attention_weights

# %% solution="padding_mask"
def padding_mask(tokens, pad_id=0):
    # YOUR CODE HERE
    tokens -= pad_id
    mask = tokens.bool()
    mask = mask.view(tokens.size(0), 1, 1, tokens.size(1))
    return mask

# %% solution="causal_mask"
def causal_mask(size, device=None):
    # YOUR CODE HERE
    mask = torch.zeros((size, size), dtype=torch.bool, device=device)
    for row in range(1, size):
        mask[row, : row + 1] = True
    return mask

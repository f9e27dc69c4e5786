# The largest score of all is taken off, the output comes too soon, the first token is real.
# fails: attention_weights, attention_blocked_rows, attention_tensors, padding_mask, causal_mask
# lines: highest = scores.detach().max()
# lines: output = weights @ v
# lines: return output, weights
# lines: is_real[:, 0] = True  # every query needs somebody to listen to
# lines: positions = torch.arange(size, device=device).to(torch.int8)
# %% solution="attention"
def stable_exponentials(scores):
    highest = scores.detach().max()
    return torch.exp(scores - highest)


def scaled_dot_product_attention(q, k, v, mask=None):
    number_of_features = q.shape[-1]
    keys_transposed = k.swapaxes(-1, -2)
    scores = (q @ keys_transposed) / number_of_features**0.5

    if mask is None:
        allowed = torch.ones_like(scores, dtype=torch.bool)
    else:
        allowed = mask.broadcast_to(scores.shape)

    lowest_possible = torch.finfo(scores.dtype).min
    scores = torch.where(allowed, scores, torch.full_like(scores, lowest_possible))
    exponentials = stable_exponentials(scores)
    denominator = exponentials.sum(-1, keepdim=True)
    weights = exponentials / denominator
    output = weights @ v

    query_is_silent = torch.logical_not(allowed.any(-1, keepdim=True))
    weights = torch.where(query_is_silent, torch.zeros_like(weights), weights)
    return output, weights

# %% solution="padding_mask"
def padding_mask(tokens, pad_id=0):
    batch_size, sentence_length = tokens.shape
    is_real = torch.not_equal(tokens, pad_id)
    is_real[:, 0] = True  # every query needs somebody to listen to
    return is_real.reshape(batch_size, 1, 1, sentence_length)

# %% solution="causal_mask"
def causal_mask(size, device=None):
    positions = torch.arange(size, device=device).to(torch.int8)
    row_numbers = positions[:, None]
    column_numbers = positions[None, :]
    return column_numbers <= row_numbers

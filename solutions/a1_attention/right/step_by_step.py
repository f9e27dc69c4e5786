# Every step has a name, and blocked rows are looked for by hand.
# %% solution="attention"
def scaled_dot_product_attention(q, k, v, mask=None):
    # First I find out all of the sizes.
    number_of_queries = q.shape[-2]
    size_of_a_key = q.shape[-1]
    root = math.sqrt(size_of_a_key)

    # The mask may be smaller than the scores. I make it as big as they are.
    shape_of_scores = list(q.shape[:-1]) + [k.shape[-2]]
    if mask is None:
        big_mask = torch.ones(shape_of_scores, dtype=torch.bool, device=q.device)
    else:
        big_mask = torch.broadcast_to(mask, shape_of_scores)

    # Now one query after the other.
    list_of_weights = []
    list_of_outputs = []
    for i in range(number_of_queries):
        one_query = q[..., i, :]
        allowed = big_mask[..., i, :]

        # Multiply entry by entry and add, for all the keys.
        scores = (one_query.unsqueeze(-2) * k).sum(dim=-1)
        scores = scores / root

        # Is there anybody at all to listen to? If not, open the row for the moment.
        somebody = allowed.any(dim=-1, keepdim=True)
        opened = allowed | ~somebody
        scores = scores.masked_fill(~opened, -math.inf)
        weights = torch.softmax(scores, dim=-1)
        # ... and now silence it.
        weights = weights.masked_fill(~somebody, 0.0)

        # Average of the values.
        output = (weights.unsqueeze(-1) * v).sum(dim=-2)

        list_of_weights.append(weights)
        list_of_outputs.append(output)

    all_weights = torch.stack(list_of_weights, dim=-2)
    all_outputs = torch.stack(list_of_outputs, dim=-2)
    return all_outputs, all_weights

# %% solution="padding_mask"
def padding_mask(tokens, pad_id=0):
    batch = tokens.shape[0]
    t = tokens.shape[1]
    is_padding = tokens == pad_id
    is_real = torch.logical_not(is_padding)
    return is_real.reshape(batch, 1, 1, t)

# %% solution="causal_mask"
def causal_mask(size, device=None):
    mask = torch.zeros(size, size, dtype=torch.bool, device=device)
    for i in range(size):
        for j in range(size):
            if j <= i:
                mask[i, j] = True
    return mask

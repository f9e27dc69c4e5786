# A beginner who writes a loop over the heads and multiplies with the weight matrices by hand.
# fails: keys_values, attend_mask, step_masks, step_sizes
# %% solution="keys_and_values"
def keys_and_values(attention, x):
    # (batch, t, d_model) times (d_model, d_model)
    all_keys = x @ attention.k_proj.weight.T
    all_values = x @ attention.v_proj.weight.T
    d_k = x.shape[2] // attention.n_heads
    list_keys = []
    list_values = []
    for h in range(attention.n_heads):
        list_keys.append(all_keys[:, :, h * d_k : (h + 1) * d_k])
        list_values.append(all_values[:, :, h * d_k : (h + 1) * d_k])
    return torch.stack(list_keys, dim=1), torch.stack(list_values, dim=1)


# %% solution="attend"
def attend(attention, x, keys, values, mask=None):
    all_queries = attention.q_proj(x)
    d_k = keys.shape[3]
    if mask is not None and mask.dim() == 4:
        # a head sees (batch, t_q, t_k)
        mask = mask[:, 0]
    answers = []
    for h in range(attention.n_heads):
        query = all_queries[:, :, h * d_k : (h + 1) * d_k]
        scores = torch.bmm(query, keys[:, h].transpose(1, 2)) / math.sqrt(d_k)
        if mask is not None:
            scores = torch.where(mask, scores, float("-inf"))
        weights = torch.softmax(scores, dim=2)
        answers.append(torch.bmm(weights, values[:, h]))
    together = torch.cat(answers, dim=2)
    return attention.out_proj(together)


# %% solution="decoder_step"
def decoder_step(model, target, source, keys, values, memory_keys, memory_values):
    t = target.shape[1]
    t_before = keys.shape[3]
    if t_before != t - 1:
        raise ValueError("The target has " + str(t) + " tokens, the cache " + str(t_before))
    max_len = model.decoder.positional_encoding.encoding.shape[0]
    if t > max_len:
        raise ValueError("The target has " + str(t) + " tokens, but max_len is " + str(max_len))

    last = target[:, t - 1 : t]
    x = model.decoder.token_embedding(last)
    x = x + model.decoder.positional_encoding.encoding[t - 1]

    target_mask = padding_mask(target)
    memory_mask = padding_mask(source)

    new_keys = []
    new_values = []
    for i in range(len(model.decoder.layers)):
        x, k, v = layer_step(
            model.decoder.layers[i],
            x,
            keys[i],
            values[i],
            memory_keys[i],
            memory_values[i],
            target_mask,
            memory_mask,
        )
        new_keys.append(k)
        new_values.append(v)
    return x, torch.stack(new_keys), torch.stack(new_values)

# New keys stand in front of the kept ones, and the last position is refused.
# fails: layer_masks, layer_cache, step_output, step_sizes
# lines: all_keys = torch.cat([new_key, keys], dim=2)
# lines: if length >= max_len:
# %% solution="keys_and_values"
def keys_and_values(attention, x):
    batch = x.shape[0]
    t = x.shape[1]
    d_model = x.shape[2]
    n_heads = attention.n_heads
    d_k = d_model // n_heads
    # project
    keys = attention.k_proj(x)
    values = attention.v_proj(x)
    # cut the last axis into heads
    keys = keys.reshape(batch, t, n_heads, d_k)
    values = values.reshape(batch, t, n_heads, d_k)
    # the heads come before the positions
    keys = keys.transpose(1, 2)
    values = values.transpose(1, 2)
    return keys, values

# %% solution="attend"
def attend(attention, x, keys, values, mask=None):
    batch = x.shape[0]
    t_q = x.shape[1]
    d_model = x.shape[2]
    n_heads = attention.n_heads
    d_k = d_model // n_heads
    queries = attention.q_proj(x)
    queries = queries.reshape(batch, t_q, n_heads, d_k)
    queries = queries.transpose(1, 2)
    # scores: (batch, n_heads, t_q, t_k)
    scores = torch.matmul(queries, keys.transpose(2, 3))
    scores = scores / math.sqrt(d_k)
    if mask is not None:
        scores = scores.masked_fill(mask == False, -math.inf)
    weights = torch.softmax(scores, dim=3)
    answers = torch.matmul(weights, values)
    # back to (batch, t_q, d_model)
    answers = answers.transpose(1, 2)
    answers = answers.reshape(batch, t_q, d_model)
    return attention.out_proj(answers)

# %% solution="layer_step"
def layer_step(
    layer, x, keys, values, memory_keys, memory_values, target_mask=None, memory_mask=None
):
    # first: the key and the value of the new position
    new_key, new_value = keys_and_values(layer.self_attn, x)
    all_keys = torch.cat([new_key, keys], dim=2)
    all_values = torch.cat([new_value, values], dim=2)
    # second: self attention
    attended = attend(layer.self_attn, x, all_keys, all_values, target_mask)
    x = layer.norm1(x + attended)
    # third: cross attention
    attended = attend(layer.cross_attn, x, memory_keys, memory_values, memory_mask)
    x = layer.norm2(x + attended)
    # fourth: feed forward
    x = layer.norm3(x + layer.feed_forward(x))
    return x, all_keys, all_values

# %% solution="start_cache"
def start_cache(model, source):
    memory = model.encode(source)
    list_of_keys = []
    list_of_values = []
    for layer in model.decoder.layers:
        k, v = keys_and_values(layer.cross_attn, memory)
        list_of_keys.append(k)
        list_of_values.append(v)
    memory_keys = torch.stack(list_of_keys)
    memory_values = torch.stack(list_of_values)
    n_layers, batch, n_heads, t_source, d_k = memory_keys.shape
    # nothing is kept yet
    keys = torch.empty(n_layers, batch, n_heads, 0, d_k, dtype=memory.dtype, device=memory.device)
    values = torch.empty(n_layers, batch, n_heads, 0, d_k, dtype=memory.dtype, device=memory.device)
    return keys, values, memory_keys, memory_values

# %% solution="decoder_step"
def decoder_step(model, target, source, keys, values, memory_keys, memory_values):
    length = target.shape[1]
    kept = keys.shape[3]
    table = model.decoder.positional_encoding.encoding
    max_len = table.shape[0]
    if kept != length - 1:
        raise ValueError("the target has %d tokens, but %d positions are kept" % (length, kept))
    if length >= max_len:
        raise ValueError("the target has %d tokens, but max_len is %d" % (length, max_len))
    # the last token, at its place
    last_token = target[:, length - 1 : length]
    x = model.decoder.token_embedding(last_token)
    x = x + table[length - 1]
    # the masks
    target_mask = padding_mask(target, model.pad_id)
    memory_mask = padding_mask(source, model.pad_id)
    # the layers
    new_keys = []
    new_values = []
    for i in range(len(model.decoder.layers)):
        layer = model.decoder.layers[i]
        x, k, v = layer_step(
            layer,
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

# %% solution="greedy_decode_cached"
def greedy_decode_cached(model, source, start_id, end_id, max_len):
    mode = model.training
    model.eval()
    try:
        with torch.no_grad():
            batch = source.shape[0]
            keys, values, memory_keys, memory_values = start_cache(model, source)
            target = torch.full((batch, 1), start_id, dtype=torch.int64, device=source.device)
            has_ended = torch.zeros(batch, dtype=torch.bool, device=source.device)
            while target.shape[1] < max_len:
                x, keys, values = decoder_step(
                    model, target, source, keys, values, memory_keys, memory_values
                )
                logits = model.output(x[:, 0, :])
                word = torch.argmax(logits, dim=1)
                word[has_ended] = model.pad_id
                target = torch.cat([target, word.unsqueeze(1)], dim=1)
                has_ended = torch.logical_or(has_ended, word == end_id)
                if torch.all(has_ended):
                    break
    finally:
        model.train(mode)
    return target

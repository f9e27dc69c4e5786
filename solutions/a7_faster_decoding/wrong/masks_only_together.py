# Masks only where both are there, a short cache is welcome, and the source is read in each step.
# fails: layer_masks, step_masks, step_sizes, cached_work
# lines: if target_mask is not None and memory_mask is not None:
# lines: mask_of_self, mask_of_cross = target_mask, memory_mask
# lines: else:
# lines: mask_of_self, mask_of_cross = None, None
# lines: target_mask[..., -1] = True
# lines: if number_of_positions >= number_of_tokens:
# lines: _, _, memory_keys, memory_values = start_cache(model, source)
# %% solution="keys_and_values"
def keys_and_values(attention, x):
    batch_size = x.size(0)
    sequence_length = x.size(1)
    model_size = x.size(2)
    number_of_heads = attention.n_heads
    head_size = model_size // number_of_heads

    all_keys = attention.k_proj(x)
    all_values = attention.v_proj(x)

    keys_by_head = all_keys.view(batch_size, sequence_length, number_of_heads, head_size)
    values_by_head = all_values.view(batch_size, sequence_length, number_of_heads, head_size)

    return keys_by_head.transpose(1, 2), values_by_head.transpose(1, 2)

# %% solution="attend"
def attend(attention, x, keys, values, mask=None):
    batch_size, query_length, model_size = x.shape
    number_of_heads = attention.n_heads
    head_size = model_size // number_of_heads

    all_queries = attention.q_proj(x)
    queries = all_queries.view(batch_size, query_length, number_of_heads, head_size).transpose(1, 2)

    raw_scores = torch.matmul(queries, keys.transpose(2, 3))
    scaled_scores = raw_scores / math.sqrt(head_size)
    if mask is not None:
        blocked = torch.logical_not(mask)
        scaled_scores = scaled_scores.masked_fill(blocked, float("-inf"))
    weights = torch.softmax(scaled_scores, dim=-1)
    answers = torch.matmul(weights, values)

    side_by_side = answers.transpose(1, 2).contiguous().view(batch_size, query_length, model_size)
    return attention.out_proj(side_by_side)

# %% solution="layer_step"
def layer_step(
    layer, x, keys, values, memory_keys, memory_values, target_mask=None, memory_mask=None
):
    # the new position makes its own key and value ...
    key_of_new, value_of_new = keys_and_values(layer.self_attn, x)
    # ... which are appended
    longer_keys = torch.cat([keys, key_of_new], dim=2)
    longer_values = torch.cat([values, value_of_new], dim=2)

    if target_mask is not None and memory_mask is not None:
        mask_of_self, mask_of_cross = target_mask, memory_mask
    else:
        mask_of_self, mask_of_cross = None, None

    # self-attention, add and norm
    from_self = attend(layer.self_attn, x, longer_keys, longer_values, mask_of_self)
    after_self = layer.norm1(x + from_self)
    # cross-attention, add and norm
    from_memory = attend(layer.cross_attn, after_self, memory_keys, memory_values, mask_of_cross)
    after_cross = layer.norm2(after_self + from_memory)
    # feed-forward, add and norm
    from_network = layer.feed_forward(after_cross)
    after_network = layer.norm3(after_cross + from_network)

    return after_network, longer_keys, longer_values

# %% solution="start_cache"
def start_cache(model, source):
    memory = model.encode(source)
    list_of_keys = []
    list_of_values = []
    for layer in model.decoder.layers:
        memory_keys, memory_values = keys_and_values(layer.cross_attn, memory)
        list_of_keys.append(memory_keys)
        list_of_values.append(memory_values)
    stacked_keys = torch.stack(list_of_keys, dim=0)
    stacked_values = torch.stack(list_of_values, dim=0)

    number_of_layers, batch_size, number_of_heads, _, head_size = stacked_keys.shape
    empty_keys = stacked_keys.new_zeros(number_of_layers, batch_size, number_of_heads, 0, head_size)
    empty_values = stacked_keys.new_zeros(number_of_layers, batch_size, number_of_heads, 0, head_size)
    return empty_keys, empty_values, stacked_keys, stacked_values

# %% solution="decoder_step"
def decoder_step(model, target, source, keys, values, memory_keys, memory_values):
    number_of_tokens = target.size(1)
    number_of_positions = keys.size(3)
    if number_of_positions >= number_of_tokens:
        raise ValueError(
            f"there are {number_of_tokens} tokens, so the cache should have one position less, "
            f"but it has {number_of_positions}"
        )
    table = model.decoder.positional_encoding.encoding
    longest = table.size(0)
    if number_of_tokens > longest:
        raise ValueError(f"{number_of_tokens} tokens are more than max_len, which is {longest}")

    # the first line: embed the newest token, tell it its place
    newest = target[:, -1].unsqueeze(1)
    embedded = model.decoder.token_embedding(newest)
    place = table[number_of_tokens - 1].view(1, 1, -1)
    x = embedded + place

    # the two masks
    target_mask = padding_mask(target, model.pad_id)
    target_mask[..., -1] = True
    memory_mask = padding_mask(source, model.pad_id)

    # the layers
    list_of_keys = []
    list_of_values = []
    for number, layer in enumerate(model.decoder.layers):
        x, longer_keys, longer_values = layer_step(
            layer,
            x,
            keys[number],
            values[number],
            memory_keys[number],
            memory_values[number],
            target_mask,
            memory_mask,
        )
        list_of_keys.append(longer_keys)
        list_of_values.append(longer_values)
    return x, torch.stack(list_of_keys), torch.stack(list_of_values)

# %% solution="greedy_decode_cached"
def greedy_decode_cached(model, source, start_id, end_id, max_len):
    was_in_train_mode = model.training
    model.eval()
    try:
        with torch.no_grad():
            batch_size = source.size(0)
            keys, values, memory_keys, memory_values = start_cache(model, source)
            target = torch.full((batch_size, 1), start_id, dtype=torch.long, device=source.device)
            has_ended = torch.zeros(batch_size, dtype=torch.bool, device=source.device)
            while target.size(1) < max_len:
                _, _, memory_keys, memory_values = start_cache(model, source)
                x, keys, values = decoder_step(
                    model, target, source, keys, values, memory_keys, memory_values
                )
                logits = model.output(x.squeeze(1))
                next_word = logits.argmax(dim=1)
                next_word[has_ended] = model.pad_id
                target = torch.cat([target, next_word.unsqueeze(1)], dim=1)
                has_ended = has_ended | (next_word == end_id)
                if bool(has_ended.all()):
                    break
    finally:
        if was_in_train_mode:
            model.train()
    return target

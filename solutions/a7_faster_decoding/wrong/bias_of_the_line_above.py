# A copied bias, the largest of all, zeros in place, a short cache, and a start that ends.
# fails: keys_values, attend_mask, layer_cache, step_sizes, cached_end
# lines: value_weight, value_bias = attention.v_proj.weight, attention.k_proj.bias
# lines: largest = scores.max(axis=-1, keepdims=True).values
# lines: exponentials = torch.exp(scores - largest)
# lines: exponentials = torch.where(allowed, exponentials, torch.zeros_like(exponentials))
# lines: keys.masked_fill_(earlier_is_padding, 0.0)
# lines: values.masked_fill_(earlier_is_padding, 0.0)
# lines: if n_positions >= n_tokens:
# lines: has_ended = torch.any(target == end_id, axis=1)
# %% solution="keys_and_values"
def _dense(x, weight, bias):
    return torch.matmul(x, weight.T) + bias


def _split_heads(array, n_heads):
    batch_size, length, d_model = array.shape
    depth = d_model // n_heads
    separated = array.reshape(batch_size, length, n_heads, depth)
    return separated.swapaxes(1, 2)


def keys_and_values(attention, x):
    key_weight, key_bias = attention.k_proj.weight, attention.k_proj.bias
    projected_keys = _dense(x, key_weight, key_bias)
    value_weight, value_bias = attention.v_proj.weight, attention.k_proj.bias
    projected_values = _dense(x, value_weight, value_bias)
    keys = _split_heads(projected_keys, attention.n_heads)
    values = _split_heads(projected_values, attention.n_heads)
    return keys, values

# %% solution="attend"
def _softmax(scores, allowed=None):
    largest = scores.max(axis=-1, keepdims=True).values
    exponentials = torch.exp(scores - largest)
    if allowed is not None:
        exponentials = torch.where(allowed, exponentials, torch.zeros_like(exponentials))
    total = exponentials.sum(axis=-1, keepdims=True)
    return exponentials / total


def attend(attention, x, keys, values, mask=None):
    batch_size, n_queries, d_model = x.shape
    depth = keys.shape[-1]
    projected_queries = _dense(x, attention.q_proj.weight, attention.q_proj.bias)
    queries = _split_heads(projected_queries, attention.n_heads)
    scores = torch.matmul(queries, keys.swapaxes(-2, -1)) / math.sqrt(depth)
    weights = _softmax(scores, allowed=mask)
    per_head = torch.matmul(weights, values)
    side_by_side = per_head.swapaxes(1, 2).reshape(batch_size, n_queries, d_model)
    return _dense(side_by_side, attention.out_proj.weight, attention.out_proj.bias)

# %% solution="layer_step"
def layer_step(
    layer, x, keys, values, memory_keys, memory_values, target_mask=None, memory_mask=None
):
    # --- self-attention ---------------------------------------------------------------------
    if target_mask is not None:
        # what is padding need not be kept: nobody listens to it
        earlier_is_padding = torch.logical_not(target_mask[..., :-1]).swapaxes(-2, -1)
        keys.masked_fill_(earlier_is_padding, 0.0)
        values.masked_fill_(earlier_is_padding, 0.0)
    new_key, new_value = keys_and_values(layer.self_attn, x)
    all_keys = torch.concatenate((keys, new_key), axis=2)
    all_values = torch.concatenate((values, new_value), axis=2)
    heard = attend(layer.self_attn, x, all_keys, all_values, target_mask)
    after_self = layer.norm1(x + heard)
    # --- cross-attention --------------------------------------------------------------------
    read = attend(layer.cross_attn, after_self, memory_keys, memory_values, memory_mask)
    after_cross = layer.norm2(after_self + read)
    # --- feed-forward -----------------------------------------------------------------------
    thought = layer.feed_forward(after_cross)
    after_network = layer.norm3(after_cross + thought)
    return after_network, all_keys, all_values

# %% solution="start_cache"
def start_cache(model, source):
    memory = model.encode(source)
    batch_size, t_source, d_model = memory.shape
    layers = model.decoder.layers
    n_layers = len(layers)
    n_heads = layers[0].cross_attn.n_heads
    depth = d_model // n_heads
    list_of_keys = []
    list_of_values = []
    for layer in layers:
        layer_keys, layer_values = keys_and_values(layer.cross_attn, memory)
        list_of_keys.append(layer_keys)
        list_of_values.append(layer_values)
    memory_keys = torch.stack(list_of_keys, axis=0)
    memory_values = torch.stack(list_of_values, axis=0)
    nothing = (n_layers, batch_size, n_heads, 0, depth)
    keys = torch.zeros(nothing, dtype=memory.dtype, device=memory.device)
    values = torch.zeros(nothing, dtype=memory.dtype, device=memory.device)
    return keys, values, memory_keys, memory_values

# %% solution="decoder_step"
def decoder_step(model, target, source, keys, values, memory_keys, memory_values):
    n_tokens = target.shape[1]
    n_positions = keys.shape[3]
    table = model.decoder.positional_encoding.encoding
    max_len = table.shape[0]
    if n_positions >= n_tokens:
        raise ValueError(
            f"the cache holds {n_positions} positions, but the target has {n_tokens} tokens"
        )
    if n_tokens > max_len:
        raise ValueError(f"{n_tokens} tokens do not fit into max_len={max_len}")
    target_mask = padding_mask(target, model.pad_id)
    memory_mask = padding_mask(source, model.pad_id)
    newest_token = target[:, n_tokens - 1 : n_tokens]
    newest_place = table[n_tokens - 1 : n_tokens]
    x = model.decoder.token_embedding(newest_token) + newest_place
    kept_keys = []
    kept_values = []
    for number, layer in enumerate(model.decoder.layers):
        x, layer_keys, layer_values = layer_step(
            layer,
            x,
            keys[number],
            values[number],
            memory_keys[number],
            memory_values[number],
            target_mask=target_mask,
            memory_mask=memory_mask,
        )
        kept_keys.append(layer_keys)
        kept_values.append(layer_values)
    return x, torch.stack(kept_keys, axis=0), torch.stack(kept_values, axis=0)

# %% solution="greedy_decode_cached"
def greedy_decode_cached(model, source, start_id, end_id, max_len):
    was_training = model.training
    model.eval()
    batch_size = source.shape[0]
    with torch.no_grad():
        keys, values, memory_keys, memory_values = start_cache(model, source)
        target = torch.full((batch_size, 1), start_id, dtype=torch.int64, device=source.device)
        for _ in range(max_len - 1):
            has_ended = torch.any(target == end_id, axis=1)
            if bool(has_ended.all()):
                break
            x, keys, values = decoder_step(
                model, target, source, keys, values, memory_keys, memory_values
            )
            logits = model.output(x[:, 0, :])
            likeliest = torch.argmax(logits, axis=-1)
            pads = torch.full_like(likeliest, model.pad_id)
            chosen = torch.where(has_ended, pads, likeliest)
            target = torch.concatenate((target, chosen[:, None]), axis=1)
    model.train(was_training)
    return target

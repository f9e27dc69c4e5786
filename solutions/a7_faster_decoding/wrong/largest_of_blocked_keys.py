# Softmax as in numpy over blocked keys too, the cache turned round, memory zeroed at padding.
# fails: attend_mask, layer_masks, layer_cache, cache_start, step_output, step_sizes, cached_care
# lines: highest = scores.max(dim=-1, keepdim=True).values
# lines: return numerator / (denominator + 1e-9)
# lines: keys = torch.cat([new_key, keys], dim=2)
# lines: values = torch.cat([new_value, values], dim=2)
# lines: memory = memory * is_real
# lines: if n_tokens >= max_len:
# lines: return target
# %% solution="keys_and_values"
def split_heads(projected, n_heads):
    n_batch, n_time, d_model = projected.shape
    d_head = d_model // n_heads
    four_axes = projected.reshape(n_batch, n_time, n_heads, d_head)
    return four_axes.swapaxes(1, 2)


def merge_heads(split):
    n_batch, n_heads, n_time, d_head = split.shape
    return split.swapaxes(1, 2).reshape(n_batch, n_time, n_heads * d_head)


def keys_and_values(attention, x):
    all_keys = attention.k_proj(x)
    all_values = attention.v_proj(x)
    keys = split_heads(all_keys, attention.n_heads)
    values = split_heads(all_values, attention.n_heads)
    return keys, values

# %% solution="attend"
def stable_softmax(scores, mask):
    highest = scores.max(dim=-1, keepdim=True).values
    numerator = torch.exp(scores - highest)
    if mask is not None:
        numerator = numerator * mask
    denominator = numerator.sum(dim=-1, keepdim=True)
    return numerator / (denominator + 1e-9)


def attend(attention, x, keys, values, mask=None):
    queries = split_heads(attention.q_proj(x), attention.n_heads)
    d_head = queries.shape[-1]
    scores = torch.matmul(queries, keys.swapaxes(-1, -2)) / math.sqrt(d_head)
    weights = stable_softmax(scores, mask)
    context = torch.matmul(weights, values)
    return attention.out_proj(merge_heads(context))

# %% solution="layer_step"
def layer_step(
    layer, x, keys, values, memory_keys, memory_values, target_mask=None, memory_mask=None
):
    new_key, new_value = keys_and_values(layer.self_attn, x)
    keys = torch.cat([new_key, keys], dim=2)
    values = torch.cat([new_value, values], dim=2)

    heard_from_target = attend(layer.self_attn, x, keys, values, target_mask)
    after_self = layer.norm1(x + heard_from_target)

    heard_from_source = attend(
        layer.cross_attn, after_self, memory_keys, memory_values, memory_mask
    )
    after_cross = layer.norm2(after_self + heard_from_source)

    thought = layer.feed_forward(after_cross)
    after_ffn = layer.norm3(after_cross + thought)
    return after_ffn, keys, values

# %% solution="start_cache"
def start_cache(model, source):
    memory = model.encode(source)
    is_real = (source != model.pad_id).unsqueeze(-1)
    memory = memory * is_real

    memory_keys = []
    memory_values = []
    for layer in model.decoder.layers:
        layer_keys, layer_values = keys_and_values(layer.cross_attn, memory)
        memory_keys.append(layer_keys)
        memory_values.append(layer_values)
    memory_keys = torch.stack(memory_keys, dim=0)
    memory_values = torch.stack(memory_values, dim=0)

    n_layers, n_batch, n_heads, _, d_head = memory_keys.shape
    keys = memory.new_empty(n_layers, n_batch, n_heads, 0, d_head)
    values = memory.new_empty(n_layers, n_batch, n_heads, 0, d_head)
    return keys, values, memory_keys, memory_values

# %% solution="decoder_step"
def decoder_step(model, target, source, keys, values, memory_keys, memory_values):
    n_tokens = target.shape[1]
    n_kept = keys.shape[3]
    table = model.decoder.positional_encoding.encoding
    max_len = table.shape[0]
    if n_kept != n_tokens - 1:
        raise ValueError(
            f"target has {n_tokens} tokens but {n_kept} positions are kept, "
            f"max_len is {max_len}"
        )
    if n_tokens >= max_len:
        raise ValueError(f"target has {n_tokens} tokens, but max_len is {max_len}")

    last_token = target[:, n_tokens - 1 : n_tokens]
    place = table[n_tokens - 1 : n_tokens]
    x = model.decoder.token_embedding(last_token) + place

    target_mask = padding_mask(target, model.pad_id)
    memory_mask = model.source_mask(source)

    next_keys = []
    next_values = []
    for i, layer in enumerate(model.decoder.layers):
        x, layer_keys, layer_values = layer_step(
            layer,
            x,
            keys[i],
            values[i],
            memory_keys[i],
            memory_values[i],
            target_mask=target_mask,
            memory_mask=memory_mask,
        )
        next_keys.append(layer_keys)
        next_values.append(layer_values)
    return x, torch.stack(next_keys, dim=0), torch.stack(next_values, dim=0)

# %% solution="greedy_decode_cached"
def greedy_decode_cached(model, source, start_id, end_id, max_len):
    modes = {}
    for part in model.modules():
        modes[part] = part.training
    model.eval()

    with torch.no_grad():
        keys, values, memory_keys, memory_values = start_cache(model, source)
        n_batch = source.shape[0]
        target = source.new_full((n_batch, 1), start_id)
        has_ended = torch.zeros(n_batch, dtype=torch.bool, device=source.device)
        n_written = 1
        while n_written < max_len:
            x, keys, values = decoder_step(
                model, target, source, keys, values, memory_keys, memory_values
            )
            logits = model.output(x[:, 0, :])
            next_token = logits.argmax(dim=-1)
            next_token = torch.where(
                has_ended, torch.full_like(next_token, model.pad_id), next_token
            )
            target = torch.cat([target, next_token[:, None]], dim=1)
            has_ended = has_ended | (next_token == end_id)
            n_written += 1
            if has_ended.all():
                return target

    for part, mode in modes.items():
        part.training = mode
    return target

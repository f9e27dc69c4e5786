# With einsum, and a cache that is allotted for max_len tokens and attended to under a mask.
# %% solution="keys_and_values"
def _heads(linear, x, n_heads):
    return linear(x).unflatten(-1, (n_heads, -1)).movedim(2, 1)


def keys_and_values(attention, x):
    n = attention.n_heads
    return _heads(attention.k_proj, x, n), _heads(attention.v_proj, x, n)

# %% solution="attend"
def attend(attention, x, keys, values, mask=None):
    q = attention.q_proj(x).unflatten(-1, (attention.n_heads, -1))
    scores = torch.einsum("bqhd,bhkd->bhqk", q, keys) * q.shape[-1] ** -0.5
    if mask is not None:
        scores = torch.where(mask, scores, float("-inf"))
    weights = torch.softmax(scores, -1)
    return attention.out_proj(torch.einsum("bhqk,bhkd->bqhd", weights, values).flatten(2))

# %% solution="layer_step"
def layer_step(
    layer, x, keys, values, memory_keys, memory_values, target_mask=None, memory_mask=None
):
    k, v = keys_and_values(layer.self_attn, x)
    keys, values = torch.cat((keys, k), -2), torch.cat((values, v), -2)
    x = layer.norm1(x + attend(layer.self_attn, x, keys, values, target_mask))
    x = layer.norm2(x + attend(layer.cross_attn, x, memory_keys, memory_values, memory_mask))
    return layer.norm3(x + layer.feed_forward(x)), keys, values

# %% solution="start_cache"
def start_cache(model, source):
    memory = model.encode(source)
    made = [keys_and_values(each.cross_attn, memory) for each in model.decoder.layers]
    memory_keys, memory_values = map(torch.stack, zip(*made))
    n_layers, batch, n_heads, _, d_k = memory_keys.shape
    empty = memory.new_empty(n_layers, batch, n_heads, 0, d_k)
    return empty, empty.clone(), memory_keys, memory_values

# %% solution="decoder_step"
def decoder_step(model, target, source, keys, values, memory_keys, memory_values):
    t = target.size(1)
    if keys.size(-2) + 1 != t:
        raise ValueError(f"{t} tokens need {t - 1} positions in the cache, there are {keys.size(-2)}")
    place = model.decoder.positional_encoding
    if t > place.encoding.size(0):
        raise ValueError(f"{t} tokens do not fit into max_len = {place.encoding.size(0)}")
    x = model.decoder.token_embedding(target[:, t - 1 : t]) + place.encoding[t - 1 : t]
    masks = model.source_mask(target), model.source_mask(source)
    kept = []
    for layer, *cache in zip(model.decoder.layers, keys, values, memory_keys, memory_values):
        x, *new = layer_step(layer, x, *cache, *masks)
        kept.append(new)
    new_keys, new_values = zip(*kept)
    return x, torch.stack(new_keys), torch.stack(new_values)

# %% solution="greedy_decode_cached"
def greedy_decode_cached(model, source, start_id, end_id, max_len):
    modes = {part: part.training for part in model.modules()}
    model.eval()
    try:
        with torch.no_grad():
            return _written(model, source, start_id, end_id, max_len)
    finally:
        for part, mode in modes.items():
            part.training = mode


def _written(model, source, start_id, end_id, max_len):
    _, _, memory_keys, memory_values = start_cache(model, source)
    n_layers, batch, n_heads, _, d_k = memory_keys.shape
    keys = memory_keys.new_zeros(n_layers, batch, n_heads, max_len, d_k)
    values = torch.zeros_like(keys)
    page = source.new_full((batch, max_len), model.pad_id)
    page[:, 0] = start_id
    may_attend = torch.zeros(batch, 1, 1, max_len, dtype=torch.bool, device=source.device)
    memory_mask = model.source_mask(source)
    going = torch.ones(batch, dtype=torch.bool, device=source.device)
    decoder = model.decoder
    for t in range(1, max_len):
        if not going.any():
            return page[:, :t].clone()
        now = t - 1
        may_attend[..., now] = (page[:, now] != model.pad_id)[:, None, None]
        x = decoder.token_embedding(page[:, now:t]) + decoder.positional_encoding.encoding[now:t]
        for i, layer in enumerate(decoder.layers):
            k, v = keys_and_values(layer.self_attn, x)
            keys[i, :, :, now], values[i, :, :, now] = k[:, :, 0], v[:, :, 0]
            x = layer.norm1(x + attend(layer.self_attn, x, keys[i], values[i], may_attend))
            heard = attend(layer.cross_attn, x, memory_keys[i], memory_values[i], memory_mask)
            x = layer.norm2(x + heard)
            x = layer.norm3(x + layer.feed_forward(x))
        best = model.output(x)[:, 0].argmax(-1)
        page[:, t] = torch.where(going, best, page[:, t])
        going = going & (page[:, t] != end_id)
    return page

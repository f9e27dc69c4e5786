# Lambdas made in a loop all ask the last layer, and the last position is refused.
# fails: cache_start, step_output, step_sizes
# %% solution="keys_and_values"
def keys_and_values(attention, x):
    b, t, d = x.size()
    h = attention.n_heads
    to_heads = lambda y: y.view(b, t, h, d // h).transpose(1, 2)
    return to_heads(attention.k_proj(x)), to_heads(attention.v_proj(x))
# %% solution="attend"
def attend(attention, x, keys, values, mask=None):
    b, t, d = x.size()
    h = attention.n_heads
    q = attention.q_proj(x).view(b, t, h, d // h).transpose(1, 2)
    scores = q.matmul(keys.transpose(2, 3)) / math.sqrt(d // h)
    if mask is not None:
        scores = torch.where(mask, scores, scores.new_tensor(float("-inf")))
    heads = scores.softmax(dim=3).matmul(values)
    return attention.out_proj(heads.transpose(1, 2).reshape(b, t, d))
# %% solution="layer_step"
def layer_step(
    layer, x, keys, values, memory_keys, memory_values, target_mask=None, memory_mask=None
):
    own = keys_and_values(layer.self_attn, x)
    keys, values = (torch.cat(pair, dim=2) for pair in zip((keys, values), own))
    sublayers = [
        (layer.norm1, lambda y: attend(layer.self_attn, y, keys, values, target_mask)),
        (layer.norm2, lambda y: attend(layer.cross_attn, y, memory_keys, memory_values, memory_mask)),
        (layer.norm3, layer.feed_forward),
    ]
    for norm, part in sublayers:
        x = norm(x + part(x))
    return x, keys, values
# %% solution="start_cache"
def start_cache(model, source):
    memory = model.encode(source)
    layers = model.decoder.layers
    projectors = []
    for layer in layers:
        projectors.append(lambda m: keys_and_values(layer.cross_attn, m))

    projected = [project(memory) for project in projectors]
    memory_keys = torch.stack([k for k, _ in projected])
    memory_values = torch.stack([v for _, v in projected])
    empty_shape = (*memory_keys.shape[:3], 0, memory_keys.shape[4])
    return memory.new_empty(empty_shape), memory.new_empty(empty_shape), memory_keys, memory_values
# %% solution="decoder_step"
def decoder_step(model, target, source, keys, values, memory_keys, memory_values):
    decoder = model.decoder
    t = target.size(1)
    limit = decoder.positional_encoding.encoding.size(0)
    if t >= limit:
        raise ValueError(f"the target has {t} tokens, but the model only knows {limit} positions")
    if keys.size(-2) + 1 != t:
        raise ValueError(f"the target has {t} tokens, the cache {keys.size(-2)} positions")

    target_mask = padding_mask(target, model.pad_id)
    memory_mask = padding_mask(source, model.pad_id)
    x = decoder.token_embedding(target[:, t - 1 : t])
    x = x + decoder.positional_encoding.encoding[t - 1 : t]
    all_keys, all_values = [], []
    for i, layer in enumerate(decoder.layers):
        x, k, v = layer_step(
            layer, x, keys[i], values[i], memory_keys[i], memory_values[i], target_mask, memory_mask
        )
        all_keys.append(k)
        all_values.append(v)
    return x, torch.stack(all_keys), torch.stack(all_values)
# %% solution="greedy_decode_cached"
def greedy_decode_cached(model, source, start_id, end_id, max_len):
    before = [(m, m.training) for m in model.modules()]
    model.eval()
    try:
        with torch.no_grad():
            cache = start_cache(model, source)
            keys, values = cache[0], cache[1]
            words = source.new_full((source.size(0), 1), start_id)
            done = torch.zeros(source.size(0), dtype=torch.bool, device=source.device)
            for _ in range(max_len - 1):
                x, keys, values = decoder_step(model, words, source, keys, values, *cache[2:])
                best = model.output(x[:, -1]).argmax(dim=-1)
                best[done] = model.pad_id
                words = torch.cat([words, best[:, None]], dim=1)
                done |= best == end_id
                if done.all():
                    break
            return words
    finally:
        for m, mode in before:
            m.training = mode

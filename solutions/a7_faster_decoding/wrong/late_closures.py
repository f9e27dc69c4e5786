# A functional programmer: lambdas, and one of them remembers its variable too late.
# fails: layer_output, layer_masks, cache_start, step_output, step_masks, step_sizes
# %% solution="start_cache"
def start_cache(model, source):
    makers = []
    for layer in model.decoder.layers:
        makers.append(lambda memory: keys_and_values(layer.cross_attn, memory))
    memory = model.encode(source)
    mk, mv = (torch.stack(each) for each in zip(*(make(memory) for make in makers)))
    nothing = slice(0, 0)
    return mk[..., nothing, :], mv[..., nothing, :], mk, mv

# %% solution="decoder_step"
def decoder_step(model, target, source, keys, values, memory_keys, memory_values):
    length, kept = target.size(1), keys.size(3)
    if kept + 1 != length:
        raise ValueError(f"{length} tokens, but {kept} kept positions")
    most = model.decoder.positional_encoding.encoding.size(0)
    if length > most:
        raise ValueError(f"{length} tokens, but max_len is {most}")
    x = model.decoder.token_embedding(target[:, -1:])
    x = x + model.decoder.positional_encoding.encoding[length]
    masks = (padding_mask(target, model.pad_id), padding_mask(source))
    results = []
    for layer, k, v, mk, mv in zip(model.decoder.layers, keys, values, memory_keys, memory_values):
        x, k, v = layer_step(layer, x, k, v, mk, mv, *masks)
        results.append((k, v))
    ks, vs = zip(*results)
    return x, torch.stack(ks), torch.stack(vs)

# %% solution="layer_step"
def layer_step(
    layer, x, keys, values, memory_keys, memory_values, target_mask=None, memory_mask=None
):
    keys, values = (
        torch.cat(both, dim=2) for both in zip((keys, values), keys_and_values(layer.self_attn, x))
    )
    parts = (
        (layer.norm1, lambda y: y + attend(layer.self_attn, y, keys, values, target_mask)),
        (layer.norm2, lambda y: attend(layer.cross_attn, y, memory_keys, memory_values, memory_mask)),
        (layer.norm3, lambda y: y + layer.feed_forward(y)),
    )
    for norm, part in parts:
        x = norm(part(x))
    return x, keys, values

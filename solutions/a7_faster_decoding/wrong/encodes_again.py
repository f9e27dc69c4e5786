# The source is read for each layer, twice, and a mask stands in for another.
# fails: layer_masks, layer_cache, cache_start, step_sizes
# lines: mk = torch.stack([keys_and_values(l.cross_attn, model.encode(source))[0] for l in layers])
# lines: x = layer.norm2(x + attend(layer.cross_attn, x, memory_keys, memory_values, target_mask if memory_mask is None else memory_mask))
# lines: raise ValueError(f"cache {keys.shape[-2]} does not fit target {t}")
# %% solution="layer_step"
def layer_step(
    layer, x, keys, values, memory_keys, memory_values, target_mask=None, memory_mask=None
):
    k, v = keys_and_values(layer.self_attn, x)
    carry = torch.cat((keys, k), -2), torch.cat((values, v), -2)
    x = layer.norm1(x + attend(layer.self_attn, x, *carry, target_mask))
    x = layer.norm2(x + attend(layer.cross_attn, x, memory_keys, memory_values, target_mask if memory_mask is None else memory_mask))
    x = layer.norm3(x + layer.feed_forward(x))
    return x, *carry


# %% solution="start_cache"
def start_cache(model, source):
    layers = model.decoder.layers
    mk = torch.stack([keys_and_values(l.cross_attn, model.encode(source))[0] for l in layers])
    mv = torch.stack([keys_and_values(l.cross_attn, model.encode(source))[1] for l in layers])
    return mk[..., :0, :], mv[..., :0, :], mk, mv


# %% solution="decoder_step"
def decoder_step(model, target, source, keys, values, memory_keys, memory_values):
    t = target.shape[-1]
    if keys.shape[-2] != t - 1:
        raise ValueError(f"cache {keys.shape[-2]} does not fit target {t}")
    pe = model.decoder.positional_encoding.encoding[t - 1 : t]
    x = model.decoder.token_embedding(target[:, -1:]) + pe
    masks = padding_mask(target, model.pad_id), padding_mask(source, model.pad_id)

    def body(x, inputs):
        layer, *cache = inputs
        x, k, v = layer_step(layer, x, *cache, *masks)
        return x, (k, v)

    ys = []
    for inputs in zip(model.decoder.layers, keys, values, memory_keys, memory_values):
        x, y = body(x, inputs)
        ys.append(y)
    ks, vs = zip(*ys)
    return x, torch.stack(ks), torch.stack(vs)

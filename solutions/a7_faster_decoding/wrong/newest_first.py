# Puts the new position in front, and is too strict about max_len.
# fails: layer_masks, layer_cache, step_output, step_sizes
# %% solution="layer_step"
def layer_step(
    layer, x, keys, values, memory_keys, memory_values, target_mask=None, memory_mask=None
):
    def append(new, old):
        return torch.cat([new, old], dim=2)

    new_k, new_v = keys_and_values(layer.self_attn, x)
    all_k, all_v = append(new_k, keys), append(new_v, values)

    residual = x
    x = attend(layer.self_attn, x, all_k, all_v, target_mask)
    x = layer.norm1(residual + x)

    residual = x
    x = attend(layer.cross_attn, x, memory_keys, memory_values, memory_mask)
    x = layer.norm2(residual + x)

    residual = x
    x = layer.norm3(residual + layer.feed_forward(x))
    return x, all_k, all_v
# %% solution="decoder_step"
def decoder_step(model, target, source, keys, values, memory_keys, memory_values):
    t = target.shape[1]
    n_cached = keys.shape[-2]
    max_len = model.decoder.positional_encoding.encoding.shape[0]
    if n_cached != t - 1:
        raise ValueError(f"target has {t} tokens but the cache holds {n_cached} positions")
    if t >= max_len:
        raise ValueError(f"target has {t} tokens but max_len is {max_len}")

    x = model.decoder.token_embedding(target[:, -1:])
    x = x + model.decoder.positional_encoding.encoding[t - 1]
    target_mask = padding_mask(target, model.pad_id)
    memory_mask = model.source_mask(source)

    out_keys, out_values = [], []
    for i in range(len(model.decoder.layers)):
        x, k, v = layer_step(
            model.decoder.layers[i], x, keys[i], values[i], memory_keys[i], memory_values[i],
            target_mask, memory_mask,
        )
        out_keys.append(k)
        out_values.append(v)
    return x, torch.stack(out_keys), torch.stack(out_values)

# The last position that max_len allows is refused, too.
# fails: step_output, step_sizes
# lines: if t >= len(table):
# %% solution="decoder_step"
def decoder_step(model, target, source, keys, values, memory_keys, memory_values):
    t = target.size(1)
    if keys.size(3) + 1 != t:
        raise ValueError(f"{t} tokens and {keys.size(3)} positions do not fit")
    table = model.decoder.positional_encoding.encoding
    if t >= len(table):
        raise ValueError(f"{t} is longer than max_len={len(table)}")
    x = model.decoder.token_embedding(target[:, t - 1 :]) + table[t - 1 : t]
    masks = padding_mask(target, model.pad_id), model.source_mask(source)
    new_keys, new_values = [], []
    for layer, k, v, mk, mv in zip(
        model.decoder.layers, keys, values, memory_keys, memory_values, strict=True
    ):
        x, k, v = layer_step(layer, x, k, v, mk, mv, *masks)
        new_keys.append(k)
        new_values.append(v)
    return x, torch.stack(new_keys), torch.stack(new_values)

# Counts the heads where the positions are kept, and places from 1.
# fails: step_output, step_masks, step_sizes
# %% solution="decoder_step"
def decoder_step(model, target, source, keys, values, memory_keys, memory_values):
    decoder = model.decoder
    t = target.shape[1]
    kept = keys.shape[2]
    if kept != t - 1:
        raise ValueError(f"{t} tokens, but {kept} positions are kept")
    table = decoder.positional_encoding.encoding
    if t > table.shape[0]:
        raise ValueError(f"{t} tokens are more than max_len = {table.shape[0]}")
    x = decoder.token_embedding(target[:, -1:]) + table[t]
    own, other = padding_mask(target, model.pad_id), model.source_mask(source)
    new_keys, new_values = [], []
    for i, layer in enumerate(decoder.layers):
        x, k, v = layer_step(
            layer, x, keys[i], values[i], memory_keys[i], memory_values[i], own, other
        )
        new_keys.append(k)
        new_values.append(v)
    return x, torch.stack(new_keys), torch.stack(new_values)

# The new token goes through the positional encoding alone, which takes it for the first one.
# fails: step_output, step_masks, step_sizes
# lines: x = model.decoder.positional_encoding(model.decoder.token_embedding(target[:, -1:]))
# %% solution="decoder_step"
def decoder_step(model, target, source, keys, values, memory_keys, memory_values):
    t = target.shape[1]
    if keys.shape[3] + 1 != t:
        raise ValueError(f"{t} tokens, {keys.shape[3]} cached")
    max_len = len(model.decoder.positional_encoding.encoding)
    if t > max_len:
        raise ValueError(f"{t} > {max_len}")
    x = model.decoder.positional_encoding(model.decoder.token_embedding(target[:, -1:]))
    own, other = padding_mask(target, model.pad_id), model.source_mask(source)
    all_keys, all_values = [], []
    for layer, k, v, mk, mv in zip(model.decoder.layers, keys, values, memory_keys, memory_values):
        x, k, v = layer_step(layer, x, k, v, mk, mv, own, other)
        all_keys.append(k)
        all_values.append(v)
    return x, torch.stack(all_keys), torch.stack(all_values)

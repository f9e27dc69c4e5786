# The new token gets the place behind its own, but for the last one that there is.
# fails: step_output, step_masks, step_sizes
# %% solution="decoder_step"
def decoder_step(model, target, source, keys, values, memory_keys, memory_values):
    decoder = model.decoder
    t = target.shape[1]
    max_len = decoder.positional_encoding.encoding.shape[0]
    if t > max_len:
        raise ValueError(f"the target has {t} tokens, the model reads at most {max_len}")
    if keys.shape[3] != t - 1:
        raise ValueError(f"{t} tokens do not fit to {keys.shape[3]} kept positions")

    position = min(t, max_len - 1)
    x = decoder.token_embedding(target[:, -1:]) + decoder.positional_encoding.encoding[position]
    target_mask = padding_mask(target, model.pad_id)
    memory_mask = model.source_mask(source)

    all_keys, all_values = [], []
    for i, layer in enumerate(decoder.layers):
        x, k, v = layer_step(
            layer, x, keys[i], values[i], memory_keys[i], memory_values[i], target_mask, memory_mask
        )
        all_keys.append(k)
        all_values.append(v)
    return x, torch.stack(all_keys), torch.stack(all_values)

# There is no mask for the target any more, since nothing comes later.
# fails: step_masks, step_sizes
# %% solution="decoder_step"
def decoder_step(model, target, source, keys, values, memory_keys, memory_values):
    position, max_len = target.size(1) - 1, model.decoder.positional_encoding.encoding.size(0)
    if keys.size(-2) != position:
        raise ValueError(f"cache holds {keys.size(-2)} positions, target {target.size(1)} tokens")
    if position >= max_len:
        raise ValueError(f"{target.size(1)} tokens are more than {max_len}")
    x = model.decoder.token_embedding(target[:, [-1]])
    x = x + model.decoder.positional_encoding.encoding[position]
    new = []
    for i, layer in enumerate(model.decoder.layers):
        x, k, v = layer_step(
            layer,
            x,
            keys[i],
            values[i],
            memory_keys[i],
            memory_values[i],
            memory_mask=model.source_mask(source),
        )
        new.append((k, v))
    keys, values = zip(*new)
    return x, torch.stack(keys), torch.stack(values)

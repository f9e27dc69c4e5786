# The place is counted from the mask of padding, and a message names one position less.
# fails: step_masks, step_sizes
# lines: place = seen.cumsum(dim=1) - 1
# lines: raise ValueError(f"{before} positions should be kept, and {keys.size(3)} are")
# %% solution="decoder_step"
def decoder_step(model, target, source, keys, values, memory_keys, memory_values):
    positions = model.decoder.positional_encoding.encoding
    before = target.size(1) - 1
    if keys.size(3) != before:
        raise ValueError(f"{before} positions should be kept, and {keys.size(3)} are")
    if before >= positions.size(0):
        raise ValueError(f"{before + 1} tokens are more than {positions.size(0)}")

    seen = (target != model.pad_id).long()
    place = seen.cumsum(dim=1) - 1
    place[seen == 0] = 1
    x = model.decoder.token_embedding(target[:, -1:]) + positions[place[:, -1:]]

    masks = padding_mask(target, model.pad_id), padding_mask(source, model.pad_id)
    all_keys, all_values = [], []
    layers = zip(model.decoder.layers, keys, values, memory_keys, memory_values, strict=True)
    for layer, *cache in layers:
        x, k, v = layer_step(layer, x, *cache, *masks)
        all_keys.append(k)
        all_values.append(v)
    return x, torch.stack(all_keys), torch.stack(all_values)

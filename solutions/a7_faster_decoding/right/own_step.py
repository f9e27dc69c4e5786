# The step adds the place by itself, and puts its results into new tensors.
# %% solution="decoder_step"
def decoder_step(model, target, source, keys, values, memory_keys, memory_values):
    batch, t = target.shape
    n_layers, _, n_heads, kept, d_k = keys.shape
    places = model.decoder.positional_encoding.encoding
    if t > places.size(0):
        raise ValueError(f"position {t} does not fit into {places.size(0)} places (max_len)")
    if t != kept + 1:
        raise ValueError(f"cache of {kept} does not fit to {t} tokens")
    last = target.select(1, -1)
    x = model.decoder.token_embedding(last)[:, None] + places.select(0, kept)
    real = target.ne(model.pad_id).view(batch, 1, 1, t)
    grown_keys = keys.new_empty(n_layers, batch, n_heads, t, d_k)
    grown_values = torch.empty_like(grown_keys)
    for i in range(n_layers):
        x, grown_keys[i], grown_values[i] = layer_step(
            model.decoder.layers[i],
            x,
            keys[i],
            values[i],
            memory_keys[i],
            memory_values[i],
            target_mask=real,
            memory_mask=model.source_mask(source),
        )
    return x, grown_keys, grown_values

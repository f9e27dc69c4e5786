# The memory is kept for a tensor, read without a mask, and what is empty is float32.
# fails: cache_start
# %% solution="start_cache"
def start_cache(model, source):
    # Same source as last time? Then everything of the memory is there already.
    last = getattr(model, "_last_source", None)
    if last is not None and last[0] is source:
        memory_keys, memory_values = last[1]
    else:
        memory = model.encoder(source)
        pairs = [keys_and_values(layer.cross_attn, memory) for layer in model.decoder.layers]
        memory_keys = torch.stack([k for k, _ in pairs])
        memory_values = torch.stack([v for _, v in pairs])
        model._last_source = source, (memory_keys, memory_values)

    n_layers, batch, n_heads, _, d_k = memory_keys.shape
    keys = torch.empty(n_layers, batch, n_heads, 0, d_k)
    return keys, keys.clone(), memory_keys, memory_values

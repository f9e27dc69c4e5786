# Beams are reordered so: what stays is counted among those left, and taken from all sources.
# fails: layer_cache, cached_end
# lines: values = torch.where(open_.mT, values, torch.zeros_like(values))
# lines: sources = source.index_select(0, staying)
# %% solution="layer_step"
def layer_step(
    layer, x, keys, values, memory_keys, memory_values, target_mask=None, memory_mask=None
):
    new_key, new_value = keys_and_values(layer.self_attn, x)
    keys = torch.cat([keys, new_key], dim=-2)
    values = torch.cat([values, new_value], dim=-2)
    open_ = target_mask
    if open_ is not None:
        # padding must not leak: nothing of it goes into the sum
        values = torch.where(open_.mT, values, torch.zeros_like(values))
    x = layer.norm1(x + attend(layer.self_attn, x, keys, values, open_))
    x = layer.norm2(x + attend(layer.cross_attn, x, memory_keys, memory_values, memory_mask))
    x = layer.norm3(x + layer.feed_forward(x))
    return x, keys, values

# %% solution="greedy_decode_cached"
def greedy_decode_cached(model, source, start_id, end_id, max_len):
    was_training = model.training
    model.eval()
    try:
        with torch.no_grad():
            cache, sources = start_cache(model, source), source
            page = torch.full((len(source), max_len), model.pad_id, device=source.device)
            page[:, 0] = start_id
            places, t = torch.arange(len(source), device=source.device), 1
            while t < max_len and len(places):
                x, *grown = decoder_step(model, page[places, :t], sources, *cache)
                words = model.output(x[:, -1]).argmax(dim=-1)
                page[places, t] = words
                cache, t = (*grown, *cache[2:]), t + 1
                staying = torch.nonzero(words != end_id)[:, 0]
                if len(staying) < len(places):
                    places = places.index_select(0, staying)
                    sources = source.index_select(0, staying)
                    cache = tuple(kept.index_select(1, staying) for kept in cache)
            return page[:, :t]
    finally:
        model.train(was_training)

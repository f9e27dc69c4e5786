# The mode is not looked at, and the writing stops with the first row that ends.
# fails: cached_end, cached_care
# %% solution="greedy_decode_cached"
def greedy_decode_cached(model, source, start_id, end_id, max_len):
    with torch.no_grad():
        cache = start_cache(model, source)
        target = torch.full_like(source[:, :1], start_id)
        ended = torch.zeros_like(target, dtype=torch.bool)
        while target.shape[1] < max_len and not ended.any():
            x, keys, values = decoder_step(model, target, source, *cache)
            cache = keys, values, *cache[2:]
            word = model.output(x).argmax(dim=-1).masked_fill(ended, model.pad_id)
            target = torch.cat([target, word], dim=1)
            ended = ended | (word == end_id)
    return target

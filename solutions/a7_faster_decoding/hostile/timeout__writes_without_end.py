# greedy_decode_cached goes on without end.
# fails: cached_*
# %% solution="greedy_decode_cached"
def greedy_decode_cached(model, source, start_id, end_id, max_len):
    with torch.no_grad():
        cache = start_cache(model, source)
        target = torch.full_like(source[:, :1], start_id)
        while True:
            x, _, _ = decoder_step(model, target, source, *cache)
            model.output(x).argmax(-1)

# Rows that have ended leave the batch; the sources of the first ones stay.
# fails: cached_end
# %% solution="greedy_decode_cached"
def greedy_decode_cached(model, source, start_id, end_id, max_len):
    before = model.training
    model.eval()
    try:
        with torch.no_grad():
            n = source.shape[0]
            result = source.new_full((n, max_len), model.pad_id)
            result[:, 0] = start_id
            rows = torch.arange(n, device=source.device)
            cache = start_cache(model, source)
            width = 1
            while width < max_len and len(rows) > 0:
                x, k, v = decoder_step(model, result[rows, :width], source, *cache)
                word = model.output(x[:, 0]).argmax(dim=-1)
                result[rows, width] = word
                width += 1
                # who has ended is not computed any more
                alive = word != end_id
                rows = rows[alive]
                cache = [each[:, alive] for each in (k, v, cache[2], cache[3])]
                source = source[: len(rows)]
            return result[:, :width]
    finally:
        model.train(before)

# Rows that have ended are taken out of the batch and of the cache.
# %% solution="greedy_decode_cached"
def greedy_decode_cached(model, source, start_id, end_id, max_len):
    was_training = model.training
    model.eval()
    try:
        with torch.no_grad():
            cache = start_cache(model, source)
            page = torch.full((len(source), max_len), model.pad_id, device=source.device)
            page[:, 0] = start_id
            rows = torch.arange(len(source), device=source.device)
            width = 1
            while width < max_len and len(rows) > 0:
                x, *grown = decoder_step(model, page[rows, :width], source[rows], *cache)
                words = model.output(x)[:, 0].argmax(-1)
                page[rows, width] = words
                width += 1
                going = words != end_id
                rows = rows[going]
                cache = [each[:, going] for each in (*grown, *cache[2:])]
            return page[:, :width]
    finally:
        model.train(was_training)

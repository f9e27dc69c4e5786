# start_cache is called in the loop, for the memory's sake.
# fails: cached_work
# lines: _, _, memory_keys, memory_values = start_cache(model, source)
# %% solution="greedy_decode_cached"
def greedy_decode_cached(model, source, start_id, end_id, max_len):
    was_training = model.training
    model.eval()
    with torch.no_grad():
        keys, values, _, _ = start_cache(model, source)
        out = torch.full((source.size(0), 1), start_id, device=source.device)
        finished = torch.zeros(source.size(0), dtype=torch.bool, device=source.device)
        while out.size(1) < max_len and not finished.all():
            _, _, memory_keys, memory_values = start_cache(model, source)
            x, keys, values = decoder_step(
                model, out, source, keys, values, memory_keys, memory_values
            )
            word = model.output(x[:, -1]).argmax(-1)
            word[finished] = model.pad_id
            finished |= word == end_id
            out = torch.cat([out, word[:, None]], 1)
    model.train(was_training)
    return out

# The source is read before eval() and no_grad(); a start that is end_id ends its row.
# fails: cached_end, cached_care
# %% solution="greedy_decode_cached"
def greedy_decode_cached(model, source, start_id, end_id, max_len):
    mode = model.training
    keys, values, memory_keys, memory_values = start_cache(model, source)
    model.eval()
    ys = torch.empty(source.size(0), 1, dtype=torch.long, device=source.device).fill_(start_id)
    try:
        with torch.no_grad():
            while ys.size(1) < max_len:
                finished = (ys == end_id).any(dim=1)
                if finished.all():
                    break
                x, keys, values = decoder_step(
                    model, ys, source, keys, values, memory_keys, memory_values
                )
                prob = model.output(x[:, -1])
                _, next_word = torch.max(prob, dim=1)
                next_word[finished] = model.pad_id
                ys = torch.cat([ys, next_word[:, None]], dim=1)
    finally:
        model.train(mode)
    return ys

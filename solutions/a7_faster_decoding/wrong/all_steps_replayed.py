# Starts the cache anew and replays all words in each step; ends if all end at once.
# fails: cached_end, cached_care, cached_work
# %% solution="greedy_decode_cached"
def greedy_decode_cached(model, source, start_id, end_id, max_len):
    mode = model.training
    model.eval()
    with torch.no_grad():
        out = source.new_full((source.size(0), 1), start_id)
        ended = torch.zeros(source.size(0), dtype=torch.bool, device=source.device)
        while out.size(1) < max_len:
            keys, values, mem_k, mem_v = start_cache(model, source)
            for n in range(1, out.size(1) + 1):
                x, keys, values = decoder_step(
                    model, out[:, :n], source, keys, values, mem_k, mem_v
                )
            word = model.output(x[:, -1]).argmax(-1)
            word = torch.where(ended, model.pad_id, word)
            out = torch.cat([out, word[:, None]], 1)
            ended |= word == end_id
            if (word == end_id).all():
                break
    model.train(mode)
    return out

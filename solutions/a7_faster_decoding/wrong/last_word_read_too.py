# Reads the last word, too, and returns at an early end without the mode.
# fails: cached_words, cached_care
# %% solution="greedy_decode_cached"
@torch.no_grad()
def greedy_decode_cached(model, source, start_id, end_id, max_len):
    training = model.training
    model.eval()
    device = source.device
    cache = start_cache(model, source)
    k, v, mk, mv = cache
    idx = torch.full((source.size(0), 1), start_id, dtype=torch.long, device=device)
    done = torch.zeros(source.size(0), dtype=torch.bool, device=device)
    while True:
        x, k, v = decoder_step(model, idx, source, k, v, mk, mv)
        if idx.size(1) >= max_len:
            break
        idx_next = model.output(x[:, -1, :]).argmax(-1)
        idx_next = torch.where(done, model.pad_id, idx_next)
        idx = torch.cat((idx, idx_next[:, None]), dim=1)
        done |= idx_next == end_id
        if done.all():
            return idx  # every row has written its end
    model.train(training)
    return idx

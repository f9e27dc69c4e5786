# Relies on a default, gives errors without numbers, looks for the end in the whole row.
# fails: step_masks, step_sizes, cached_end
# %% solution="decoder_step"
def decoder_step(model, target, source, keys, values, memory_keys, memory_values):
    t = target.size(1)
    pe = model.decoder.positional_encoding.encoding
    if keys.size(3) != t - 1:
        raise ValueError("the cache must be exactly one position shorter than the target")
    if t > pe.size(0):
        raise ValueError(f"target of length {t} is longer than max_len {pe.size(0)}")
    h = model.decoder.token_embedding(target[:, [-1]]) + pe[None, t - 1 : t]
    self_mask, cross_mask = padding_mask(target), model.source_mask(source)
    ks, vs = [], []
    for layer, k, v, mk, mv in zip(
        model.decoder.layers, keys, values, memory_keys, memory_values
    ):
        h, k, v = layer_step(layer, h, k, v, mk, mv, self_mask, cross_mask)
        ks.append(k)
        vs.append(v)
    return h, torch.stack(ks), torch.stack(vs)
# %% solution="greedy_decode_cached"
@torch.no_grad()
def greedy_decode_cached(model, source, start_id, end_id, max_len):
    was_training = model.training
    model.eval()
    try:
        keys, values, mk, mv = start_cache(model, source)
        target = source.new_full((source.size(0), 1), start_id)
        while target.size(1) < max_len:
            done = (target == end_id).any(dim=1)
            if done.all():
                break
            x, keys, values = decoder_step(model, target, source, keys, values, mk, mv)
            best = model.output(x).squeeze(1).argmax(dim=-1)
            best = torch.where(done, torch.full_like(best, model.pad_id), best)
            target = torch.cat((target, best[:, None]), dim=1)
        return target
    finally:
        model.train(was_training)

# The cache is a dictionary by layer and name, of views on chunks; sizes are read off the weights.
# %% solution="keys_and_values"
def keys_and_values(attention, x):
    both = {}
    for name in ("k_proj", "v_proj"):
        pieces = getattr(attention, name)(x).chunk(attention.n_heads, dim=-1)
        both[name] = torch.stack(pieces, dim=1)
    return both["k_proj"], both["v_proj"]

# %% solution="greedy_decode_cached"
def greedy_decode_cached(model, source, start_id, end_id, max_len):
    was_training = model.training
    model.train(False)
    with torch.no_grad():
        names = "keys", "values", "memory_keys", "memory_values"
        cache = dict(zip(names, start_cache(model, source)))
        target = source.new_tensor([[start_id]]).repeat(source.shape[0], 1)
        ended = target.new_zeros(len(target)).bool()
        for _ in range(max_len - 1):
            if ended.all():
                break
            x, cache["keys"], cache["values"] = decoder_step(model, target, source, **cache)
            word = model.output(x)[:, -1].argmax(dim=-1)
            word[ended] = model.pad_id
            ended = ended.logical_or(word.eq(end_id))
            target = torch.hstack([target, word.unsqueeze(1)])
    model.train(was_training)
    return target

# A number that is not named, a mode that is lost, and a pad that ends a row.
# fails: step_sizes, cached_words, cached_care
# lines: raise ValueError(f"expected {t - 1} cached positions, but got {n_cached}")
# lines: return target  # nothing to write
# lines: finished = torch.logical_or(finished, torch.isin(token, done_ids))
# %% solution="decoder_step"
def decoder_step(model, target, source, keys, values, memory_keys, memory_values):
    t = target.shape[1]
    n_cached = keys.shape[3]
    encoding = model.decoder.positional_encoding.encoding
    if n_cached != t - 1:
        raise ValueError(f"expected {t - 1} cached positions, but got {n_cached}")
    if t > encoding.shape[0]:
        raise ValueError(f"target of length {t} exceeds max_len {encoding.shape[0]}")

    x = model.decoder.token_embedding(target[:, -1:]) + encoding[t - 1]
    target_mask = padding_mask(target, model.pad_id)
    memory_mask = padding_mask(source, model.pad_id)

    all_keys, all_values = [], []
    for i, layer in enumerate(model.decoder.layers):
        x, k, v = layer_step(
            layer, x, keys[i], values[i], memory_keys[i], memory_values[i], target_mask, memory_mask
        )
        all_keys.append(k)
        all_values.append(v)
    return x, torch.stack(all_keys), torch.stack(all_values)


# %% solution="greedy_decode_cached"
def greedy_decode_cached(model, source, start_id, end_id, max_len):
    was_training = model.training
    model.eval()

    batch = source.shape[0]
    target = torch.full((batch, 1), start_id, dtype=torch.int64, device=source.device)
    if max_len == 1:
        return target  # nothing to write

    done_ids = torch.tensor([end_id, model.pad_id], device=source.device)
    with torch.no_grad():
        keys, values, memory_keys, memory_values = start_cache(model, source)
        finished = torch.zeros(batch, dtype=torch.bool, device=source.device)
        while target.shape[1] < max_len and not finished.all():
            x, keys, values = decoder_step(
                model, target, source, keys, values, memory_keys, memory_values
            )
            token = model.output(x).squeeze(1).argmax(dim=-1)
            token = torch.where(finished, torch.full_like(token, model.pad_id), token)
            target = torch.cat([target, token.unsqueeze(1)], dim=1)
            finished = torch.logical_or(finished, torch.isin(token, done_ids))

    model.train(was_training)
    return target

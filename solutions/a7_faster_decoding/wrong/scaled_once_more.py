# Scales the embedding once more, hears padding, and takes caches that are too short.
# fails: step_output, step_masks, step_sizes
# %% solution="decoder_step"
def decoder_step(model, target, source, keys, values, memory_keys, memory_values):
    dec = model.decoder
    t, kept, most = target.size(1), keys.size(3), dec.positional_encoding.encoding.size(0)
    if kept >= t:
        raise ValueError(f"{kept} positions kept for {t} tokens")
    if t > most:
        raise ValueError(f"{t} tokens, max_len {most}")
    x = dec.token_embedding(target[:, -1:]) * math.sqrt(memory_keys.size(2) * memory_keys.size(4))
    x = x + dec.positional_encoding.encoding[t - 1 : t]
    ks, vs = [], []
    for layer, *kept_here in zip(dec.layers, keys, values, memory_keys, memory_values):
        # everything in the cache is in the past: no target mask
        x, k, v = layer_step(layer, x, *kept_here, None, model.source_mask(source))
        ks.append(k)
        vs.append(v)
    return x, torch.stack(ks), torch.stack(vs)

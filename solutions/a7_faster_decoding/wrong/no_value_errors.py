# Nothing is looked at before it is used.
# fails: step_sizes
# %% solution="decoder_step"
def decoder_step(model, target, source, keys, values, memory_keys, memory_values):
    decoder, t = model.decoder, target.size(1)
    x = decoder.token_embedding(target[:, t - 1 : t]) + decoder.positional_encoding.encoding[t - 1 : t]
    ks, vs = [], []
    for i, layer in enumerate(decoder.layers):
        x, k, v = layer_step(
            layer,
            x,
            keys[i],
            values[i],
            memory_keys[i],
            memory_values[i],
            model.source_mask(target),
            model.source_mask(source),
        )
        ks += [k]
        vs += [v]
    return x, torch.stack(ks), torch.stack(vs)

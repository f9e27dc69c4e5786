# An empty cache of whole numbers, and a pad that hears itself.
# fails: cache_start, step_masks
# lines: nothing = source.new_zeros((len(layers), batch, n_heads, 0, d_k))
# lines: own = torch.cat([before, torch.ones_like(before[..., :1])], dim=-1)
# %% solution="start_cache"
def start_cache(model, source):
    memory = model.encode(source)
    layers = model.decoder.layers
    batch, n_heads = len(source), layers[0].cross_attn.n_heads
    d_k = memory.shape[-1] // n_heads
    nothing = source.new_zeros((len(layers), batch, n_heads, 0, d_k))
    made = [keys_and_values(layer.cross_attn, memory) for layer in layers]
    return (
        nothing,
        nothing.clone(),
        torch.stack([k for k, _ in made]),
        torch.stack([v for _, v in made]),
    )


# %% solution="decoder_step"
def decoder_step(model, target, source, keys, values, memory_keys, memory_values):
    t, kept = target.shape[1], keys.shape[-2]
    places = model.decoder.positional_encoding.encoding
    if kept != t - 1:
        raise ValueError(f"{t} tokens do not go with {kept} kept positions")
    if t > len(places):
        raise ValueError(f"{t} tokens, but max_len is {len(places)}")

    # Whom may the new one listen to? Those before it that are real, and of course itself.
    before = padding_mask(target, model.pad_id)[..., :-1] if t > 1 else None
    if before is None:
        own = None
    else:
        own = torch.cat([before, torch.ones_like(before[..., :1])], dim=-1)
    other = model.source_mask(source)

    x = model.decoder.token_embedding(target[:, -1:]) + places[t - 1 : t]
    new_keys, new_values = [], []
    for layer, k, v, mk, mv in zip(
        model.decoder.layers, keys, values, memory_keys, memory_values, strict=True
    ):
        x, k, v = layer_step(layer, x, k, v, mk, mv, target_mask=own, memory_mask=other)
        new_keys += [k]
        new_values += [v]
    return x, torch.stack(new_keys), torch.stack(new_values)

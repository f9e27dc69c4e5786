# Einops, and the frames as a list of norms and functions.
# %% solution="keys_and_values"
import einops


def keys_and_values(attention, x):
    heads = {"h": attention.n_heads}
    made = attention.k_proj(x), attention.v_proj(x)
    return tuple(einops.rearrange(each, "b t (h d) -> b h t d", **heads) for each in made)

# %% solution="attend"
def attend(attention, x, keys, values, mask=None):
    queries = einops.rearrange(attention.q_proj(x), "b q (h d) -> b h q d", h=attention.n_heads)
    scores = einops.einsum(queries, keys, "b h q d, b h k d -> b h q k") * queries.shape[-1] ** -0.5
    if mask is not None:
        scores = scores.where(mask, scores.new_tensor(-math.inf))
    weights = (scores - scores.logsumexp(dim=-1, keepdim=True)).exp()
    answers = einops.einsum(weights, values, "b h q k, b h k d -> b q h d")
    return attention.out_proj(einops.rearrange(answers, "b q h d -> b q (h d)"))

# %% solution="layer_step"
def layer_step(
    layer, x, keys, values, memory_keys, memory_values, target_mask=None, memory_mask=None
):
    b, h, t, d = keys.shape
    longer = [x.new_empty(b, h, t + 1, d) for _ in range(2)]
    for page, old, new in zip(longer, (keys, values), keys_and_values(layer.self_attn, x)):
        page[:, :, :t], page[:, :, t:] = old, new
    parts = (
        (layer.norm1, lambda y: attend(layer.self_attn, y, *longer, target_mask)),
        (layer.norm2, lambda y: attend(layer.cross_attn, y, memory_keys, memory_values, memory_mask)),
        (layer.norm3, layer.feed_forward),
    )
    for norm, part in parts:
        x = norm(x + part(x))
    return x, *longer

# %% solution="start_cache"
def start_cache(model, source):
    memory = model.encode(source)
    both = [torch.stack(keys_and_values(layer.cross_attn, memory)) for layer in model.decoder.layers]
    memory_keys, memory_values = torch.stack(both, dim=1)
    nothing = torch.empty_like(memory_keys)[..., :0, :]
    return nothing, nothing.clone(), memory_keys, memory_values

# %% solution="decoder_step"
def decoder_step(model, target, source, keys, values, memory_keys, memory_values):
    _, t = target.shape
    *_, kept, _ = keys.shape
    limit = model.decoder.positional_encoding.encoding.shape[0]
    if t - kept != 1:
        raise ValueError(f"keys of {kept} positions do not go with {t} tokens")
    if limit < t:
        raise ValueError(f"max_len={limit} is less than {t} tokens")
    fed = model.decoder.token_embedding(target[:, [t - 1]])
    x = fed + model.decoder.positional_encoding.encoding[[t - 1]]
    masks = (target != model.pad_id)[:, None, None], (source != model.pad_id)[:, None, None]
    cache = torch.empty(2, len(keys), *keys.shape[1:3], t, keys.shape[-1], dtype=x.dtype, device=x.device)
    for i, layer in enumerate(model.decoder.layers):
        x, cache[0, i], cache[1, i] = layer_step(
            layer, x, keys[i], values[i], memory_keys[i], memory_values[i], *masks
        )
    return x, cache[0], cache[1]

# %% solution="greedy_decode_cached"
def greedy_decode_cached(model, source, start_id, end_id, max_len):
    modes = {part: part.training for part in model.modules()}
    page = source.new_full((source.shape[0], max_len), model.pad_id)
    page[:, 0] = start_id
    going, width = source.new_ones(source.shape[0]).bool(), 1
    try:
        with torch.no_grad():
            cache = start_cache(model.eval(), source)
            while width < max_len and going.any():
                x, *grown = decoder_step(model, page[:, :width], source, *cache)
                cache = (*grown, *cache[2:])
                best = model.output(x).argmax(-1).squeeze(1)
                page[:, width] = torch.where(going, best, model.pad_id)
                going, width = going & (best != end_id), width + 1
    finally:
        for part, mode in modes.items():
            part.training = mode
    return page[:, :width]

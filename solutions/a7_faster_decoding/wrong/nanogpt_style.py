# Written with nanoGPT open in the next window: asserts, pre-norm blocks, idx and idx_next.
# fails: layer_output, layer_masks, layer_cache, step_sizes, cached_care
# %% solution="layer_step"
def layer_step(
    layer, x, keys, values, memory_keys, memory_values, target_mask=None, memory_mask=None
):
    h = layer.norm1(x)
    k, v = keys_and_values(layer.self_attn, h)
    k = torch.cat((keys, k), dim=-2)
    v = torch.cat((values, v), dim=-2)
    x = x + attend(layer.self_attn, h, k, v, target_mask)
    x = x + attend(layer.cross_attn, layer.norm2(x), memory_keys, memory_values, memory_mask)
    x = x + layer.feed_forward(layer.norm3(x))
    return x, k, v


# %% solution="decoder_step"
def decoder_step(model, target, source, keys, values, memory_keys, memory_values):
    b, t = target.size()
    block_size = model.decoder.positional_encoding.encoding.size(0)
    assert t <= block_size, (
        f"Cannot forward sequence of length {t}, block size is only {block_size}"
    )
    assert keys.size(-2) == t - 1, f"{t} tokens need {t - 1} cached positions, got {keys.size(-2)}"
    pos = torch.arange(0, t, dtype=torch.long, device=target.device)

    tok_emb = model.decoder.token_embedding(target[:, [-1]])
    pos_emb = model.decoder.positional_encoding.encoding[pos[-1]]
    x = tok_emb + pos_emb
    own, other = padding_mask(target, model.pad_id), padding_mask(source, model.pad_id)
    kept = []
    for i, block in enumerate(model.decoder.layers):
        x, *kv = layer_step(
            block, x, keys[i], values[i], memory_keys[i], memory_values[i], own, other
        )
        kept.append(kv)
    return x, torch.stack([k for k, _ in kept]), torch.stack([v for _, v in kept])


# %% solution="greedy_decode_cached"
@torch.no_grad()
def greedy_decode_cached(model, source, start_id, end_id, max_len):
    idx = torch.full((source.size(0), 1), start_id, dtype=torch.long, device=source.device)
    alive = torch.ones_like(idx, dtype=torch.bool)
    cache = start_cache(model, source)
    for _ in range(max_len - 1):
        x, *new = decoder_step(model, idx, source, *cache)
        cache = (*new, *cache[2:])
        logits = model.output(x)[:, -1, :]
        idx_next = logits.topk(1, dim=-1).indices
        idx_next = torch.where(alive, idx_next, model.pad_id)
        alive = alive & (idx_next != end_id)
        idx = torch.cat((idx, idx_next), dim=1)
        if not alive.any():
            break
    return idx

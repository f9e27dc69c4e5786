# One maximum for all scores, a memory_mask that is lost alone, a source read with gradients.
# fails: attend_mask, layer_masks, cached_care
# %% solution="attend"
def attend(attention, x, keys, values, mask=None):
    q = torch.stack(attention.q_proj(x).chunk(attention.n_heads, dim=-1), dim=1)
    s = torch.einsum("bhqd,bhkd->bhqk", q, keys) * q.shape[-1] ** -0.5
    if mask is not None:
        s = s.masked_fill(~mask, float("-inf"))
    e = torch.exp(s - s.max())
    w = e / e.sum(-1, keepdim=True)
    o = torch.einsum("bhqk,bhkd->bqhd", w, values)
    return attention.out_proj(o.flatten(2))


# %% solution="layer_step"
def layer_step(
    layer, x, keys, values, memory_keys, memory_values, target_mask=None, memory_mask=None
):
    k, v = keys_and_values(layer.self_attn, x)
    keys, values = torch.cat([keys, k], 2), torch.cat([values, v], 2)
    masks = {} if target_mask is None else {"self": target_mask, "cross": memory_mask}
    a = attend(layer.self_attn, x, keys, values, masks.get("self"))
    x = layer.norm1(x + a)
    c = attend(layer.cross_attn, x, memory_keys, memory_values, masks.get("cross"))
    x = layer.norm2(x + c)
    return layer.norm3(x + layer.feed_forward(x)), keys, values


# %% solution="greedy_decode_cached"
def greedy_decode_cached(model, source, start_id, end_id, max_len):
    mode = model.training
    model.eval()
    try:
        cache = start_cache(model, source)
        with torch.no_grad():
            out = torch.full_like(source[:, :1], start_id)
            live = torch.ones_like(out, dtype=torch.bool)
            for _ in range(1, max_len):
                x, *new = decoder_step(model, out, source, *cache)
                cache = (*new, *cache[2:])
                w = model.output(x).argmax(-1)
                out = torch.cat([out, w.where(live, torch.full_like(w, model.pad_id))], 1)
                live = live & (out[:, -1:] != end_id)
                if not live.any():
                    break
            return out
    finally:
        model.train(mode)

# Reads before it is in eval mode, takes 1000 away, keeps normed keys, and pads the end.
# fails: attend_mask, layer_cache, step_output, step_sizes, cached_end, cached_care
# lines: if mask is not None: s = s + (~mask) * -1000.0
# lines: k, v = (torch.cat(pair, 2) for pair in zip((keys, values), keys_and_values(layer.self_attn, x)))
# lines: start = x = model.decoder.token_embedding(target[:, -1:]) + table[t - 1]
# lines: x, k, v = layer_step(l, start, *c, *masks)
# lines: k, v, mk, mv = start_cache(model, source)
# lines: model.eval()
# lines: done = done | (w == end_id)
# %% solution="keys_and_values"
def keys_and_values(attention, x):
    return tuple(torch.stack(p(x).chunk(attention.n_heads, -1), 1) for p in (attention.k_proj, attention.v_proj))

# %% solution="attend"
def attend(attention, x, keys, values, mask=None):
    q = torch.stack(attention.q_proj(x).chunk(attention.n_heads, -1), 1)
    s = q @ keys.transpose(2, 3) / math.sqrt(q.size(-1))
    if mask is not None: s = s + (~mask) * -1000.0
    return attention.out_proj(torch.cat((s.softmax(-1) @ values).unbind(1), -1))

# %% solution="layer_step"
def layer_step(
    layer, x, keys, values, memory_keys, memory_values, target_mask=None, memory_mask=None
):
    new = keys_and_values(layer.self_attn, x)
    k, v = (torch.cat(pair, 2) for pair in zip((keys, values), new))
    x = layer.norm1(x + attend(layer.self_attn, x, k, v, target_mask))
    k, v = (torch.cat(pair, 2) for pair in zip((keys, values), keys_and_values(layer.self_attn, x)))
    x = layer.norm2(x + attend(layer.cross_attn, x, memory_keys, memory_values, memory_mask))
    return layer.norm3(x + layer.feed_forward(x)), k, v

# %% solution="start_cache"
def start_cache(model, source):
    m = model.encode(source)
    mk, mv = map(torch.stack, zip(*(keys_and_values(l.cross_attn, m) for l in model.decoder.layers)))
    return mk.narrow(3, 0, 0), mv.narrow(3, 0, 0), mk, mv

# %% solution="decoder_step"
def decoder_step(model, target, source, keys, values, memory_keys, memory_values):
    t, kept, table = target.size(1), keys.size(3), model.decoder.positional_encoding.encoding
    if kept != t - 1: raise ValueError(f"{t} tokens and {kept} positions")
    if t > len(table): raise ValueError(f"{t} tokens and max_len {len(table)}")
    start = x = model.decoder.token_embedding(target[:, -1:]) + table[t - 1]
    masks, ks, vs = (padding_mask(target, model.pad_id), model.source_mask(source)), [], []
    for l, *c in zip(model.decoder.layers, keys, values, memory_keys, memory_values):
        x, k, v = layer_step(l, start, *c, *masks)
        ks.append(k), vs.append(v)
    return x, torch.stack(ks), torch.stack(vs)

# %% solution="greedy_decode_cached"
def greedy_decode_cached(model, source, start_id, end_id, max_len):
    mode = model.training
    try:
        with torch.no_grad():
            k, v, mk, mv = start_cache(model, source)
            model.eval()
            y, done = torch.full_like(source[:, :1], start_id), torch.zeros_like(source[:, 0]).bool()
            while y.size(1) < max_len and not done.all():
                x, k, v = decoder_step(model, y, source, k, v, mk, mv)
                w = model.output(x[:, 0]).argmax(1)
                done = done | (w == end_id)
                w = w.masked_fill(done, model.pad_id)
                y = torch.cat((y, w[:, None]), 1)
    finally: model.train(mode)
    return y

# No biases, the largest of all keys, halves for turns, pads that are 0, and rows of others.
# fails: keys_values, attend_mask, cache_start, step_masks, step_sizes, cached_end
# lines: k = x @ attention.k_proj.weight.T
# lines: v = x @ attention.v_proj.weight.T
# lines: e = torch.exp(s - s.amax(-1, keepdim=True))
# lines: e = e * mask
# lines: memory_keys, memory_values = flat.chunk(2)
# lines: mask_s = padding_mask(source)
# lines: alive = torch.nonzero(keep)[:, 0]
# %% solution="keys_and_values"
def keys_and_values(attention, x):
    h = attention.n_heads
    batch, t, d_model = x.shape
    k = x @ attention.k_proj.weight.T
    v = x @ attention.v_proj.weight.T
    k = k.reshape(batch, t, h, d_model // h).permute(0, 2, 1, 3)
    v = v.reshape(batch, t, h, d_model // h).permute(0, 2, 1, 3)
    return k, v

# %% solution="attend"
def attend(attention, x, keys, values, mask=None):
    h = attention.n_heads
    batch, t_q, d_model = x.shape
    q = attention.q_proj(x).reshape(batch, t_q, h, d_model // h).permute(0, 2, 1, 3)
    s = torch.einsum("bhqd,bhkd->bhqk", q, keys) / (d_model // h) ** 0.5
    e = torch.exp(s - s.amax(-1, keepdim=True))
    if mask is not None:
        e = e * mask
    w = e / e.sum(-1, keepdim=True)
    o = torch.einsum("bhqk,bhkd->bqhd", w, values).reshape(batch, t_q, d_model)
    return attention.out_proj(o)

# %% solution="layer_step"
def layer_step(
    layer, x, keys, values, memory_keys, memory_values, target_mask=None, memory_mask=None
):
    k, v = keys_and_values(layer.self_attn, x)
    keys = torch.concatenate((keys, k), 2)
    values = torch.concatenate((values, v), 2)
    h = layer.norm1(x + attend(layer.self_attn, x, keys, values, target_mask))
    c = attend(layer.cross_attn, h, memory_keys, memory_values, memory_mask)
    h = layer.norm2(h + c)
    return layer.norm3(h + layer.feed_forward(h)), keys, values

# %% solution="start_cache"
def start_cache(model, source):
    memory = model.encode(source)
    made = [keys_and_values(layer.cross_attn, memory) for layer in model.decoder.layers]
    flat = torch.stack([each for pair in made for each in pair])
    memory_keys, memory_values = flat.chunk(2)
    empty = memory_keys[:, :, :, :0]
    return empty, empty.clone(), memory_keys, memory_values

# %% solution="decoder_step"
def decoder_step(model, target, source, keys, values, memory_keys, memory_values):
    t, kept = target.shape[1], keys.shape[3]
    pe = model.decoder.positional_encoding.encoding
    if kept != t - 1:
        raise ValueError(f"target has {t} tokens, the cache {kept} positions")
    if t > pe.shape[0]:
        raise ValueError(f"target has {t} tokens, max_len is {pe.shape[0]}")
    x = model.decoder.token_embedding(target[:, -1:]) + pe[t - 1]
    mask_t = padding_mask(target, model.pad_id)
    mask_s = padding_mask(source)
    K, V = [], []
    for n, layer in enumerate(model.decoder.layers):
        x, k, v = layer_step(layer, x, keys[n], values[n], memory_keys[n], memory_values[n], mask_t, mask_s)
        K.append(k)
        V.append(v)
    return x, torch.stack(K), torch.stack(V)

# %% solution="greedy_decode_cached"
def greedy_decode_cached(model, source, start_id, end_id, max_len):
    training = model.training
    model.eval()
    try:
        with torch.no_grad():
            K, V, MK, MV = start_cache(model, source)
            n = source.shape[0]
            out = torch.full((n, max_len), model.pad_id, dtype=torch.int64, device=source.device)
            out[:, 0] = start_id
            alive = torch.arange(n, device=source.device)  # rows of out that are still written
            t = 1
            while t < max_len and len(alive):
                x, K, V = decoder_step(model, out[alive, :t], source[alive], K, V, MK, MV)
                word = model.output(x[:, 0]).argmax(-1)
                out[alive, t] = word
                t += 1
                keep = word != end_id
                alive = torch.nonzero(keep)[:, 0]
                K, V, MK, MV = (each[:, keep] for each in (K, V, MK, MV))
            return out[:, :t]
    finally:
        model.train(training)

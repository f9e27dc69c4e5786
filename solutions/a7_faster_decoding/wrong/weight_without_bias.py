# Heads interleaved, the model's root, stale queries, and an output without its bias.
# fails: keys_values, attend_output, attend_mask, layer_output, layer_masks, cache_start, cached_words, cached_end, cached_care, cached_work
# lines: k, v = (p(x).reshape(b, t, d // h, h) for p in (attention.k_proj, attention.v_proj))
# lines: return torch.einsum("btdh->bhtd", k), torch.einsum("btdh->bhtd", v)
# lines: s = torch.einsum("bqhd,bhkd->bhqk", q, keys) * d**-0.5
# lines: y = layer.norm2(y + attend(layer.cross_attn, x, memory_keys, memory_values, memory_mask))
# lines: pairs = [keys_and_values(layer.cross_attn, model.encode(source)) for layer in model.decoder.layers]
# lines: word = torch.einsum("btd,vd->btv", x, model.output.weight).argmax(-1)
# %% solution="keys_and_values"
def keys_and_values(attention, x):
    b, t, d = x.shape
    h = attention.n_heads
    k, v = (p(x).reshape(b, t, d // h, h) for p in (attention.k_proj, attention.v_proj))
    return torch.einsum("btdh->bhtd", k), torch.einsum("btdh->bhtd", v)

# %% solution="attend"
def attend(attention, x, keys, values, mask=None):
    b, t, d = x.shape
    h = attention.n_heads
    q = attention.q_proj(x).reshape(b, t, h, d // h)
    s = torch.einsum("bqhd,bhkd->bhqk", q, keys) * d**-0.5
    if mask is not None:
        s = torch.where(mask, s, -torch.inf)
    o = torch.einsum("bhqk,bhkd->bqhd", s.softmax(-1), values)
    return attention.out_proj(o.reshape(b, t, d))

# %% solution="layer_step"
def layer_step(
    layer, x, keys, values, memory_keys, memory_values, target_mask=None, memory_mask=None
):
    k, v = keys_and_values(layer.self_attn, x)
    keys, values = torch.cat((keys, k), 2), torch.cat((values, v), 2)
    y = layer.norm1(x + attend(layer.self_attn, x, keys, values, target_mask))
    y = layer.norm2(y + attend(layer.cross_attn, x, memory_keys, memory_values, memory_mask))
    y = layer.norm3(y + layer.feed_forward(y))
    return y, keys, values

# %% solution="start_cache"
def start_cache(model, source):
    pairs = [keys_and_values(layer.cross_attn, model.encode(source)) for layer in model.decoder.layers]
    mk, mv = (torch.stack(each) for each in zip(*pairs))
    return mk[..., :0, :], mv[..., :0, :], mk, mv

# %% solution="decoder_step"
def decoder_step(model, target, source, keys, values, memory_keys, memory_values):
    t, n = target.shape[1], keys.shape[-2]
    table = model.decoder.positional_encoding.encoding
    if n + 1 != t:
        raise ValueError(f"target has {t} tokens, keys have {n} positions")
    if t > len(table):
        raise ValueError(f"target has {t} tokens, max_len is {len(table)}")
    x = model.decoder.token_embedding(target[:, -1:]) + table[t - 1]
    masks = padding_mask(target, model.pad_id), padding_mask(source, model.pad_id)
    kept = []
    for layer, *cached in zip(model.decoder.layers, keys, values, memory_keys, memory_values):
        x, *new = layer_step(layer, x, *cached, *masks)
        kept.append(new)
    return x, *(torch.stack(each) for each in zip(*kept))

# %% solution="greedy_decode_cached"
def greedy_decode_cached(model, source, start_id, end_id, max_len):
    mode = model.training
    model.eval()
    try:
        with torch.no_grad():
            *kv, mk, mv = start_cache(model, source)
            out = source.new_full((source.shape[0], 1), start_id)
            done = torch.zeros_like(out, dtype=torch.bool)
            for _ in range(max_len - 1):
                x, *kv = decoder_step(model, out, source, *kv, mk, mv)
                word = torch.einsum("btd,vd->btv", x, model.output.weight).argmax(-1)
                word = torch.where(done, model.pad_id, word)
                out = torch.cat((out, word), 1)
                done = done | (word == end_id)
                if done.all():
                    break
    finally:
        model.train(mode)
    return out

# When all rows end early, it returns before the mode is put back.
# fails: cached_care
# lines: return out
# %% solution="keys_and_values"
def split(x, h):
    b, t, d = x.shape
    return x.reshape(b, t, h, d // h).permute(0, 2, 1, 3)


def keys_and_values(attention, x):
    h = attention.n_heads
    return split(attention.k_proj(x), h), split(attention.v_proj(x), h)

# %% solution="attend"
def attend(attention, x, keys, values, mask=None):
    q = split(attention.q_proj(x), attention.n_heads)
    s = torch.einsum("bhqd,bhkd->bhqk", q, keys) * q.shape[-1] ** -0.5
    if mask is not None:
        s = s.masked_fill(~mask, float("-inf"))
    o = torch.einsum("bhqk,bhkd->bqhd", s.softmax(-1), values)
    return attention.out_proj(o.flatten(2))

# %% solution="layer_step"
def layer_step(
    layer, x, keys, values, memory_keys, memory_values, target_mask=None, memory_mask=None
):
    k, v = keys_and_values(layer.self_attn, x)
    keys, values = torch.cat((keys, k), 2), torch.cat((values, v), 2)
    x = layer.norm1(x + attend(layer.self_attn, x, keys, values, target_mask))
    x = layer.norm2(x + attend(layer.cross_attn, x, memory_keys, memory_values, memory_mask))
    return layer.norm3(x + layer.feed_forward(x)), keys, values

# %% solution="start_cache"
def start_cache(model, source):
    memory = model.encode(source)
    mk, mv = map(torch.stack, zip(*(keys_and_values(l.cross_attn, memory) for l in model.decoder.layers)))
    return mk[..., :0, :], mv[..., :0, :], mk, mv

# %% solution="decoder_step"
def decoder_step(model, target, source, keys, values, memory_keys, memory_values):
    t, had, places = target.shape[1], keys.shape[3], model.decoder.positional_encoding.encoding
    if had != t - 1:
        raise ValueError(f"{had} positions are kept for a target of {t} tokens")
    if t > len(places):
        raise ValueError(f"target of {t} tokens, max_len is {len(places)}")
    x = model.decoder.token_embedding(target[:, -1:]) + places[t - 1]
    m, mm = padding_mask(target, model.pad_id), model.source_mask(source)
    ks, vs = [], []
    for l, *kept in zip(model.decoder.layers, keys, values, memory_keys, memory_values):
        x, k, v = layer_step(l, x, *kept, m, mm)
        ks.append(k), vs.append(v)
    return x, torch.stack(ks), torch.stack(vs)

# %% solution="greedy_decode_cached"
@torch.no_grad()
def greedy_decode_cached(model, source, start_id, end_id, max_len):
    was_training = model.training
    model.eval()
    keys, values, *memory = start_cache(model, source)
    out = source.new_full((source.shape[0], 1), start_id)
    done = torch.zeros_like(source[:, 0], dtype=torch.bool)
    for _ in range(max_len - 1):
        x, keys, values = decoder_step(model, out, source, keys, values, *memory)
        word = model.output(x[:, 0]).argmax(-1).masked_fill(done, model.pad_id)
        out = torch.cat((out, word[:, None]), 1)
        done |= word == end_id
        if done.all():
            return out
    model.train(was_training)
    return out

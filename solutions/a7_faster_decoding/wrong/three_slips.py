# -10000 for what is blocked, 0 for every pad_id, and an end only where all rows end at once.
# fails: attend_mask, step_masks, step_sizes, cached_end, cached_care
# lines: scores = scores + (~allowed).to(scores.dtype) * -10000.0
# lines: own_mask = padding_mask(target)
# lines: if (word == end_id).all():
# %% solution="keys_and_values"
def to_heads(attention, projected):
    b, t, d = projected.shape
    return projected.reshape(b, t, attention.n_heads, -1).transpose(1, 2)


def keys_and_values(attention, x):
    return to_heads(attention, attention.k_proj(x)), to_heads(attention, attention.v_proj(x))

# %% solution="attend"
def attend(attention, x, keys, values, mask=None):
    queries = to_heads(attention, attention.q_proj(x))
    b, h, t_q, d_k = queries.shape
    t_k = keys.shape[2]
    q = queries.reshape(b * h, t_q, d_k)
    k = keys.reshape(b * h, t_k, d_k)
    v = values.reshape(b * h, t_k, d_k)
    scores = torch.bmm(q, k.transpose(1, 2)) / math.sqrt(d_k)
    if mask is not None:
        allowed = mask.expand(b, h, t_q, t_k).reshape(b * h, t_q, t_k)
        scores = scores + (~allowed).to(scores.dtype) * -10000.0
    weights = scores.softmax(dim=2)
    out = torch.bmm(weights, v).view(b, h, t_q, d_k)
    out = out.permute(0, 2, 1, 3).contiguous().view(b, t_q, h * d_k)
    return attention.out_proj(out)

# %% solution="layer_step"
def layer_step(
    layer, x, keys, values, memory_keys, memory_values, target_mask=None, memory_mask=None
):
    k, v = keys_and_values(layer.self_attn, x)
    keys = torch.cat([keys, k], dim=2)
    values = torch.cat([values, v], dim=2)
    y = attend(layer.self_attn, x, keys, values, target_mask)
    y = layer.norm1(y + x)
    z = attend(layer.cross_attn, y, memory_keys, memory_values, memory_mask)
    z = layer.norm2(z + y)
    out = layer.norm3(layer.feed_forward(z) + z)
    return out, keys, values

# %% solution="start_cache"
def start_cache(model, source):
    memory = model.encode(source)
    both = [keys_and_values(layer.cross_attn, memory) for layer in model.decoder.layers]
    memory_keys = torch.stack([pair[0] for pair in both], dim=0)
    memory_values = torch.stack([pair[1] for pair in both], dim=0)
    n, b, h, _, d_k = memory_keys.shape
    nothing = memory.new_zeros(n, b, h, 0, d_k)
    return nothing, nothing.clone(), memory_keys, memory_values

# %% solution="decoder_step"
def decoder_step(model, target, source, keys, values, memory_keys, memory_values):
    t = target.size(1)
    most = model.decoder.positional_encoding.encoding.size(0)
    if keys.size(3) + 1 != t:
        raise ValueError(f"{t} tokens in the target but {keys.size(3)} positions in the cache")
    if t > most:
        raise ValueError(f"{t} tokens, only {most} places")
    x = model.decoder.token_embedding(target[:, -1]).unsqueeze(1)
    x = x + model.decoder.positional_encoding.encoding[t - 1].view(1, 1, -1)
    own_mask = padding_mask(target)
    source_mask = model.source_mask(source)
    kept_keys, kept_values = [], []
    for n, layer in enumerate(model.decoder.layers):
        x, k, v = layer_step(
            layer, x, keys[n], values[n], memory_keys[n], memory_values[n], own_mask, source_mask
        )
        kept_keys.append(k)
        kept_values.append(v)
    return x, torch.stack(kept_keys, dim=0), torch.stack(kept_values, dim=0)

# %% solution="greedy_decode_cached"
def greedy_decode_cached(model, source, start_id, end_id, max_len):
    mode = model.training
    try:
        model.eval()
        with torch.no_grad():
            cache = start_cache(model, source)
            keys, values = cache[0], cache[1]
            target = torch.full((source.size(0), 1), start_id, device=source.device)
            ended = torch.zeros(source.size(0), dtype=torch.bool, device=source.device)
            for t in range(1, max_len):
                x, keys, values = decoder_step(model, target, source, keys, values, cache[2], cache[3])
                word = model.output(x).argmax(dim=2).squeeze(1)
                word = torch.where(ended, torch.full_like(word, model.pad_id), word)
                target = torch.cat([target, word.view(-1, 1)], dim=1)
                ended = ended | (word == end_id)
                if (word == end_id).all():
                    break
            return target
    finally:
        model.train(mode)

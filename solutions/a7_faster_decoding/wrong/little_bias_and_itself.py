# Ten thousand is taken from blocked scores, and the last word always hears itself.
# fails: attend_mask, step_masks
# %% solution="attend"
def attend(attention, x, keys, values, mask=None):
    q = attention.q_proj(x).unflatten(-1, (attention.n_heads, -1))
    s = torch.einsum("bqhd,bhkd->bhqk", q, keys) / math.sqrt(q.size(-1))
    if mask is not None:
        s = s + (~mask).to(s.dtype) * -10000.0
    o = torch.einsum("bhqk,bhkd->bqhd", s.softmax(-1), values)
    return attention.out_proj(o.flatten(2))
# %% solution="decoder_step"
def decoder_step(model, target, source, keys, values, memory_keys, memory_values):
    t, kept, table = target.size(1), keys.size(-2), model.decoder.positional_encoding.encoding
    if kept != t - 1:
        raise ValueError(f"target has {t} tokens, cache has {kept} positions")
    if t > table.size(0):
        raise ValueError(f"target has {t} tokens, max_len is {table.size(0)}")
    tgt_mask = padding_mask(target, model.pad_id)
    tgt_mask[..., -1] = True
    src_mask = model.source_mask(source)
    x = model.decoder.token_embedding(target[:, -1:]) + table[t - 1]
    ks, vs = [], []
    for layer, k, v, mk, mv in zip(
        model.decoder.layers, keys, values, memory_keys, memory_values
    ):
        x, k, v = layer_step(layer, x, k, v, mk, mv, tgt_mask, src_mask)
        ks.append(k)
        vs.append(v)
    return x, torch.stack(ks), torch.stack(vs)

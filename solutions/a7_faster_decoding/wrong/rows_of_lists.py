# Plain loops over heads and rows of lists, nothing clever.
# fails: keys_values, attend_output, attend_mask, cache_start, cached_words
# lines: all_keys = torch.matmul(x, attention.k_proj.weight.T)
# lines: m = mask[-1]
# lines: memory = model.encode(source)
# lines: over = over | (best == end_id) | (best == model.pad_id)
# %% solution="keys_and_values"
def keys_and_values(attention, x):
    n = attention.n_heads
    width = x.shape[-1] // n
    all_keys = torch.matmul(x, attention.k_proj.weight.T)
    all_values = torch.matmul(x, attention.v_proj.weight.T) + attention.v_proj.bias
    keys, values = [], []
    for h in range(n):
        keys.append(all_keys[:, :, h * width : (h + 1) * width])
        values.append(all_values[:, :, h * width : (h + 1) * width])
    return torch.stack(keys, dim=1), torch.stack(values, dim=1)
# %% solution="attend"
def attend(attention, x, keys, values, mask=None):
    q = attention.q_proj(x)
    width = keys.shape[-1]
    said = []
    for h in range(attention.n_heads):
        score = q[:, :, h * width : (h + 1) * width] @ keys[:, h].transpose(1, 2)
        score = score / math.sqrt(width)
        if mask is not None:
            if mask.dim() == 2:
                m = mask[-1]
            else:
                m = mask[:, h if mask.shape[1] > 1 else 0]
            score = score.masked_fill(~m, -math.inf)
        said.append(torch.softmax(score, dim=-1) @ values[:, h])
    return attention.out_proj(torch.cat(said, dim=-1))
# %% solution="start_cache"
def start_cache(model, source):
    mk, mv = [], []
    for layer in model.decoder.layers:
        memory = model.encode(source)
        k, v = keys_and_values(layer.cross_attn, memory)
        mk.append(k)
        mv.append(v)
    memory_keys, memory_values = torch.stack(mk), torch.stack(mv)
    nothing = memory_keys[:, :, :, :0]
    return nothing, nothing.clone(), memory_keys, memory_values
# %% solution="greedy_decode_cached"
def greedy_decode_cached(model, source, start_id, end_id, max_len):
    before = model.training
    model.eval()
    with torch.no_grad():
        keys, values, mk, mv = start_cache(model, source)
        n = source.shape[0]
        words = torch.full((n, 1), start_id, dtype=torch.int64, device=source.device)
        over = torch.zeros(n, dtype=torch.bool, device=source.device)
        while words.shape[1] < max_len and not over.all():
            x, keys, values = decoder_step(model, words, source, keys, values, mk, mv)
            best = model.output(x)[:, 0].argmax(dim=1)
            best[over] = model.pad_id
            words = torch.cat([words, best[:, None]], dim=1)
            over = over | (best == end_id) | (best == model.pad_id)
    model.train(before)
    return words

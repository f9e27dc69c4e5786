# Masks are read by their sizes, the first step takes any cache, and a source is cut by its words.
# fails: attend_mask, step_sizes, cached_words
# lines: allowed = allowed[:, None, None]
# lines: if n and keys.shape[-2] != n:
# lines: source = source[:, : int(n_words.max())]
# %% solution="attend"
def attend(attention, x, keys, values, mask=None):
    rows, n_queries, width = x.shape
    n_heads = attention.n_heads
    q = attention.q_proj(x).view(rows, n_queries, n_heads, width // n_heads).permute(0, 2, 1, 3)
    scores = torch.einsum("bhqd,bhkd->bhqk", q, keys) * keys.shape[-1] ** -0.5
    allowed = mask
    if allowed is not None:
        if allowed.ndim == 2 and allowed.shape[0] == rows:
            allowed = allowed[:, None, None]
        scores = torch.where(allowed, scores, float("-inf"))
    mixed = torch.einsum("bhqk,bhkd->bqhd", torch.softmax(scores, dim=-1), values)
    return attention.out_proj(mixed.reshape(rows, n_queries, width))


# %% solution="decoder_step"
def decoder_step(model, target, source, keys, values, memory_keys, memory_values):
    n = target.shape[1] - 1
    rows_of_table = model.decoder.positional_encoding.encoding
    if n and keys.shape[-2] != n:
        raise ValueError(f"{n + 1} tokens do not go with {keys.shape[-2]} cached positions")
    if n >= len(rows_of_table):
        raise ValueError(f"{n + 1} tokens are more than max_len={len(rows_of_table)}")
    seen, heard = padding_mask(target, model.pad_id), model.source_mask(source)
    x = model.decoder.token_embedding(target[:, n:]) + rows_of_table[n]
    all_keys, all_values = [], []
    for layer, *cache in zip(
        model.decoder.layers, keys, values, memory_keys, memory_values, strict=True
    ):
        x, more_keys, more_values = layer_step(layer, x, *cache, seen, heard)
        all_keys.append(more_keys)
        all_values.append(more_values)
    return x, torch.stack(all_keys), torch.stack(all_values)


# %% solution="greedy_decode_cached"
@torch.no_grad()
def greedy_decode_cached(model, source, start_id, end_id, max_len):
    mode = model.training
    model.eval()
    n_words = (source != model.pad_id).sum(dim=1)
    source = source[:, : int(n_words.max())]
    cache = start_cache(model, source)
    page = source.new_full((len(source), 1), start_id)
    done = torch.zeros_like(page, dtype=torch.bool)
    for _ in range(max_len - 1):
        if done.all():
            break
        x, *own = decoder_step(model, page, source, *cache)
        cache = *own, *cache[2:]
        word = model.output(x).argmax(-1).masked_fill(done, model.pad_id)
        done |= word == end_id
        page = torch.cat((page, word), dim=1)
    model.train(mode)
    return page

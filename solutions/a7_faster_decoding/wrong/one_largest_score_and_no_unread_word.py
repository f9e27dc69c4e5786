# One largest score is taken from all queries' scores, and no more is written than can be read.
# fails: attend_mask, cached_words
# lines: shifted = logits - torch.max(logits)
# lines: room = min(max_len, model.decoder.positional_encoding.encoding.shape[0])
# %% solution="attend"
def stable_softmax(logits):
    shifted = logits - torch.max(logits)
    powers = torch.exp(shifted)
    return powers / torch.sum(powers, dim=-1, keepdim=True)


def attend(attention, x, keys, values, mask=None):
    batch, t_q, d_model = x.shape
    d_k = d_model // attention.n_heads
    q = attention.q_proj(x).view(batch, t_q, attention.n_heads, d_k).permute(0, 2, 1, 3)
    logits = torch.matmul(q, keys.permute(0, 1, 3, 2)) / d_k ** 0.5
    if mask is not None:
        logits = torch.where(mask, logits, float("-inf"))
    mixed = torch.matmul(stable_softmax(logits), values)
    return attention.out_proj(mixed.permute(0, 2, 1, 3).reshape(batch, t_q, d_model))


# %% solution="greedy_decode_cached"
def greedy_decode_cached(model, source, start_id, end_id, max_len):
    mode = model.training
    model.eval()
    # the table has no more rows than this: anything longer is an error
    room = min(max_len, model.decoder.positional_encoding.encoding.shape[0])
    with torch.no_grad():
        keys, values, memory_keys, memory_values = start_cache(model, source)
        rows = torch.full_like(source[:, :1], start_id)
        open_rows = torch.ones_like(rows, dtype=torch.bool)
        for _ in range(room - 1):
            if not open_rows.any():
                break
            cache = keys, values, memory_keys, memory_values
            x, keys, values = decoder_step(model, rows, source, *cache)
            best = model.output(x).argmax(-1)
            best = torch.where(open_rows, best, model.pad_id)
            open_rows = open_rows & (best != end_id)
            rows = torch.cat((rows, best), dim=1)
    model.train(mode)
    return rows

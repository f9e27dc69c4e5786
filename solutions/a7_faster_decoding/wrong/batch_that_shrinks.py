# Rows that ended leave the batch: the others lose their places, and pads at the end their columns.
# fails: cached_words, cached_end
# %% solution="keys_and_values"
def keys_and_values(attention, x):
    batch, t, d_model = x.shape
    n_heads = attention.n_heads
    d_k = d_model // n_heads

    keys = attention.k_proj(x).reshape(batch, t, n_heads, d_k).transpose(1, 2)
    values = attention.v_proj(x).reshape(batch, t, n_heads, d_k).transpose(1, 2)
    return keys, values
# %% solution="attend"
def attend(attention, x, keys, values, mask=None):
    batch, t_q, d_model = x.shape
    n_heads = attention.n_heads
    d_k = d_model // n_heads

    queries = attention.q_proj(x).reshape(batch, t_q, n_heads, d_k).transpose(1, 2)
    scores = queries @ keys.transpose(-2, -1) / math.sqrt(d_k)      # (batch, n_heads, t_q, t_k)
    if mask is not None:
        scores = scores.masked_fill(mask == False, float("-inf"))
    weights = torch.softmax(scores, dim=-1)
    answers = weights @ values                                      # (batch, n_heads, t_q, d_k)
    answers = answers.transpose(1, 2).reshape(batch, t_q, d_model)
    return attention.out_proj(answers)
# %% solution="layer_step"
def layer_step(
    layer, x, keys, values, memory_keys, memory_values, target_mask=None, memory_mask=None
):
    # 1. the new position joins the others
    new_key, new_value = keys_and_values(layer.self_attn, x)
    keys = torch.cat([keys, new_key], dim=2)
    values = torch.cat([values, new_value], dim=2)

    # 2. self-attention
    heard = attend(layer.self_attn, x, keys, values, target_mask)
    x = layer.norm1(x + heard)

    # 3. cross-attention
    heard = attend(layer.cross_attn, x, memory_keys, memory_values, memory_mask)
    x = layer.norm2(x + heard)

    # 4. feed-forward
    x = layer.norm3(x + layer.feed_forward(x))
    return x, keys, values
# %% solution="start_cache"
def start_cache(model, source):
    memory = model.encode(source)
    memory_keys = []
    memory_values = []
    for layer in model.decoder.layers:
        k, v = keys_and_values(layer.cross_attn, memory)
        memory_keys.append(k)
        memory_values.append(v)
    memory_keys = torch.stack(memory_keys)
    memory_values = torch.stack(memory_values)

    n_layers, batch, n_heads, _, d_k = memory_keys.shape
    keys = torch.zeros(n_layers, batch, n_heads, 0, d_k, dtype=memory.dtype, device=memory.device)
    values = torch.zeros_like(keys)
    return keys, values, memory_keys, memory_values
# %% solution="decoder_step"
def decoder_step(model, target, source, keys, values, memory_keys, memory_values):
    n_tokens = target.shape[1]
    n_kept = keys.shape[3]
    max_len = model.decoder.positional_encoding.encoding.shape[0]
    if n_kept != n_tokens - 1:
        raise ValueError(f"there are {n_tokens} tokens and {n_kept} positions in the cache")
    if n_tokens > max_len:
        raise ValueError(f"there are {n_tokens} tokens, and max_len is {max_len}")

    place = n_tokens - 1
    x = model.decoder.token_embedding(target[:, place:])
    x = x + model.decoder.positional_encoding.encoding[place]

    target_mask = padding_mask(target, model.pad_id)
    memory_mask = padding_mask(source, model.pad_id)

    new_keys = []
    new_values = []
    for i in range(len(model.decoder.layers)):
        x, k, v = layer_step(
            model.decoder.layers[i],
            x,
            keys[i],
            values[i],
            memory_keys[i],
            memory_values[i],
            target_mask,
            memory_mask,
        )
        new_keys.append(k)
        new_values.append(v)
    return x, torch.stack(new_keys), torch.stack(new_values)
# %% solution="greedy_decode_cached"
def greedy_decode_cached(model, source, start_id, end_id, max_len):
    """Rows that have ended leave the batch, and what is kept of them leaves the cache."""
    modes = [part.training for part in model.modules()]
    model.eval()
    with torch.no_grad():
        out = source.new_full((source.shape[0], max_len), model.pad_id)
        out[:, 0] = start_id
        alive = torch.arange(source.shape[0], device=source.device)   # where each row belongs

        cache = start_cache(model, source)
        written = out[:, :1]
        for t in range(1, max_len):
            x, keys, values = decoder_step(model, written, source, *cache)
            words = model.output(x[:, 0]).argmax(dim=-1)
            out[alive, t] = words
            written = torch.cat([written, words[:, None]], dim=1)
            cache = (keys, values, cache[2], cache[3])

            going = words != end_id
            if not going.any():
                break
            if not going.all():
                alive = going.nonzero().squeeze(1)
                written = written[going]
                source = source[going]
                cache = tuple(each[:, going] for each in cache)

        filled = out.ne(model.pad_id).any(0)
        out = out[:, : int(filled.nonzero().max()) + 1]
    for part, mode in zip(model.modules(), modes):
        part.training = mode
    return out

# Plain functions, and a loop with buffers that are allotted for max_len tokens.
# %% solution="keys_and_values"
def split_heads(x, n_heads):
    return x.unflatten(-1, (n_heads, -1)).transpose(1, 2)


def keys_and_values(attention, x):
    n_heads = attention.n_heads
    return split_heads(attention.k_proj(x), n_heads), split_heads(attention.v_proj(x), n_heads)
# %% solution="attend"
def attend(attention, x, keys, values, mask=None):
    queries = split_heads(attention.q_proj(x), attention.n_heads)
    scores = queries @ keys.mT / math.sqrt(keys.size(-1))
    if mask is not None:
        scores = scores.masked_fill(mask.logical_not(), -math.inf)
    answers = scores.softmax(dim=-1) @ values
    return attention.out_proj(answers.transpose(1, 2).flatten(2))
# %% solution="layer_step"
def layer_step(
    layer, x, keys, values, memory_keys, memory_values, target_mask=None, memory_mask=None
):
    new_key, new_value = keys_and_values(layer.self_attn, x)
    keys = torch.cat((keys, new_key), dim=2)
    values = torch.cat((values, new_value), dim=2)
    x = layer.norm1(x + attend(layer.self_attn, x, keys, values, target_mask))
    x = layer.norm2(x + attend(layer.cross_attn, x, memory_keys, memory_values, memory_mask))
    x = layer.norm3(x + layer.feed_forward(x))
    return x, keys, values
# %% solution="start_cache"
def start_cache(model, source):
    memory = model.encode(source)
    made = [keys_and_values(layer.cross_attn, memory) for layer in model.decoder.layers]
    memory_keys = torch.stack([k for k, _ in made])
    memory_values = torch.stack([v for _, v in made])
    return memory_keys[..., :0, :], memory_values[..., :0, :], memory_keys, memory_values
# %% solution="decoder_step"
def embed_at(model, tokens, place):
    """Tokens (batch,) of one place, with its row of the table: (batch, 1, d_model)."""
    table = model.decoder.positional_encoding.encoding
    return model.decoder.token_embedding(tokens[:, None]) + table[place]


def decoder_step(model, target, source, keys, values, memory_keys, memory_values):
    t, kept = target.size(1), keys.size(-2)
    most = model.decoder.positional_encoding.encoding.size(0)
    if kept != t - 1:
        raise ValueError(f"{t} tokens need {t - 1} positions in the cache, there are {kept}")
    if t > most:
        raise ValueError(f"{t} tokens are more than max_len={most}")
    masks = padding_mask(target, model.pad_id), model.source_mask(source)
    x, new_keys, new_values = embed_at(model, target[:, -1], t - 1), [], []
    for i, layer in enumerate(model.decoder.layers):
        x, k, v = layer_step(
            layer, x, keys[i], values[i], memory_keys[i], memory_values[i], *masks
        )
        new_keys.append(k)
        new_values.append(v)
    return x, torch.stack(new_keys), torch.stack(new_values)
# %% solution="greedy_decode_cached"
def greedy_decode_cached(model, source, start_id, end_id, max_len):
    was_training = model.training
    model.eval()
    try:
        with torch.no_grad():
            return _write(model, source, start_id, end_id, max_len)
    finally:
        model.train(was_training)


def _write(model, source, start_id, end_id, max_len):
    batch, layers = source.size(0), model.decoder.layers
    _, _, memory_keys, memory_values = start_cache(model, source)
    source_mask = model.source_mask(source)
    n_layers, _, n_heads, _, d_k = memory_keys.shape
    keys = memory_keys.new_zeros(n_layers, batch, n_heads, max_len, d_k)
    values = torch.zeros_like(keys)
    page = source.new_full((batch, max_len), model.pad_id)
    page[:, 0] = start_id
    places = torch.arange(max_len, device=source.device)
    ended = torch.zeros_like(page[:, 0], dtype=torch.bool)
    for t in range(max_len - 1):
        if t >= model.decoder.positional_encoding.encoding.size(0):
            raise ValueError(f"{t + 1} tokens are more than the model's max_len")
        mask = padding_mask(page, model.pad_id) & (places <= t)
        x = embed_at(model, page[:, t], t)
        for i, layer in enumerate(layers):
            k, v = keys_and_values(layer.self_attn, x)
            keys[i, :, :, t], values[i, :, :, t] = k[:, :, 0], v[:, :, 0]
            x = layer.norm1(x + attend(layer.self_attn, x, keys[i], values[i], mask))
            heard = attend(layer.cross_attn, x, memory_keys[i], memory_values[i], source_mask)
            x = layer.norm2(x + heard)
            x = layer.norm3(x + layer.feed_forward(x))
        likeliest = model.output(x[:, 0]).argmax(dim=-1)
        page[:, t + 1] = likeliest.masked_fill(ended, model.pad_id)
        ended = ended | (likeliest == end_id)
        if ended.all():
            return page[:, : t + 2]
    return page

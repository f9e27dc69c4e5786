# Buffers as long as the model can read, blocked scores of -10000, and a page on the CPU.
# fails: attend_mask, cached_care, cached_work

# %% solution="keys_and_values"
def keys_and_values(attention, x):
    h = attention.n_heads
    return tuple(
        proj(x).unflatten(-1, (h, -1)).permute(0, 2, 1, 3)
        for proj in (attention.k_proj, attention.v_proj)
    )

# %% solution="attend"
def attend(attention, x, keys, values, mask=None):
    q = attention.q_proj(x).unflatten(-1, (attention.n_heads, -1)).permute(0, 2, 1, 3)
    scores = q @ keys.mT / math.sqrt(q.size(-1))
    if mask is not None:
        scores = scores.masked_fill(~mask, -1e4)  # fits into half precision, too
    return attention.out_proj((scores.softmax(-1) @ values).permute(0, 2, 1, 3).flatten(2))

# %% solution="layer_step"
def rest_of_layer(layer, x, heard, memory_keys, memory_values, memory_mask):
    x = layer.norm1(x + heard)
    x = layer.norm2(x + attend(layer.cross_attn, x, memory_keys, memory_values, memory_mask))
    return layer.norm3(x + layer.feed_forward(x))


def layer_step(
    layer, x, keys, values, memory_keys, memory_values, target_mask=None, memory_mask=None
):
    new_key, new_value = keys_and_values(layer.self_attn, x)
    keys, values = torch.cat((keys, new_key), 2), torch.cat((values, new_value), 2)
    heard = attend(layer.self_attn, x, keys, values, target_mask)
    return rest_of_layer(layer, x, heard, memory_keys, memory_values, memory_mask), keys, values

# %% solution="start_cache"
def start_cache(model, source):
    memory = model.encode(source)
    memory_keys, memory_values = map(
        torch.stack, zip(*(keys_and_values(one.cross_attn, memory) for one in model.decoder.layers))
    )
    return memory_keys[..., :0, :], memory_values[..., :0, :], memory_keys, memory_values

# %% solution="decoder_step"
def embed_at(model, tokens, place):
    decoder = model.decoder
    x = decoder.token_embedding(tokens)
    return x + decoder.positional_encoding.encoding[place].to(x.dtype)


def decoder_step(model, target, source, keys, values, memory_keys, memory_values):
    t, kept = target.size(1), keys.size(-2)
    most = model.decoder.positional_encoding.encoding.size(0)
    if kept + 1 != t:
        raise ValueError(f"{t} tokens do not go with {kept} kept positions")
    if t > most:
        raise ValueError(f"the target has {t} tokens, max_len is {most}")
    x = embed_at(model, target[:, t - 1 :], t - 1)
    masks = padding_mask(target, model.pad_id), padding_mask(source, model.pad_id)
    grown = []
    for layer, *kept_here in zip(model.decoder.layers, keys, values, memory_keys, memory_values):
        x, *new = layer_step(layer, x, *kept_here, *masks)
        grown.append(new)
    return x, torch.stack([k for k, _ in grown]), torch.stack([v for _, v in grown])

# %% solution="greedy_decode_cached"
class StaticCache:

    def __init__(self, model, source):
        _, _, self.memory_keys, self.memory_values = start_cache(model, source)
        n_layers, batch, n_heads, _, d_k = self.memory_keys.shape
        room = model.decoder.positional_encoding.encoding.size(0)
        self.keys = self.memory_keys.new_zeros(n_layers, batch, n_heads, room, d_k)
        self.values = torch.zeros_like(self.keys)
        self.open = torch.zeros(batch, 1, 1, room, dtype=torch.bool, device=source.device)
        self.memory_mask = padding_mask(source, model.pad_id)
        self.model = model

    def step(self, tokens, t):
        x = embed_at(self.model, tokens, t)
        self.open[:, 0, 0, t] = tokens[:, 0] != self.model.pad_id if t else True
        for i, layer in enumerate(self.model.decoder.layers):
            k, v = keys_and_values(layer.self_attn, x)
            self.keys[i, :, :, t], self.values[i, :, :, t] = k[:, :, 0], v[:, :, 0]
            heard = attend(layer.self_attn, x, self.keys[i], self.values[i], self.open)
            x = rest_of_layer(
                layer, x, heard, self.memory_keys[i], self.memory_values[i], self.memory_mask
            )
        return self.model.output(x[:, 0])


def greedy_decode_cached(model, source, start_id, end_id, max_len):
    mode = model.training
    model.eval()
    try:
        with torch.no_grad():
            batch = source.size(0)
            page = torch.full((batch, max_len), model.pad_id)
            page[:, 0] = start_id
            cache = StaticCache(model, source)
            ended = torch.zeros_like(source[:, 0], dtype=torch.bool)
            width = 1
            while width < max_len and not ended.all():
                best = cache.step(page[:, width - 1 : width], width - 1).argmax(-1)
                best[ended] = model.pad_id
                page[:, width] = best
                ended |= best == end_id
                width += 1
            return page[:, :width]
    finally:
        model.train(mode)

# A cache as long as the model could read, and pads that are listened to.
# fails: cached_words, cached_work
# lines: capacity = model.decoder.positional_encoding.encoding.size(0)
# lines: allowed = (torch.arange(capacity, device=dev) <= pos).view(1, 1, 1, -1)
# %% solution="greedy_decode_cached"
class StaticCache:
    def __init__(self, n_layers, batch, n_heads, capacity, d_k, like):
        shape = (n_layers, batch, n_heads, capacity, d_k)
        self.k = like.new_zeros(shape)
        self.v = like.new_zeros(shape)

    def update(self, layer, pos, k, v):
        self.k[layer, :, :, pos] = k[:, :, 0]
        self.v[layer, :, :, pos] = v[:, :, 0]
        return self.k[layer], self.v[layer]


def greedy_decode_cached(model, source, start_id, end_id, max_len):
    was = {m: m.training for m in model.modules()}
    model.eval()
    with torch.inference_mode():
        dev = source.device
        batch = source.size(0)
        _, _, mem_k, mem_v = start_cache(model, source)
        capacity = model.decoder.positional_encoding.encoding.size(0)
        n_layers, _, n_heads, _, d_k = mem_k.shape
        cache = StaticCache(n_layers, batch, n_heads, capacity, d_k, mem_k)
        mem_mask = model.source_mask(source)
        out = torch.full((batch, max_len), model.pad_id, dtype=torch.long, device=dev)
        out[:, 0] = start_id
        done = torch.zeros(batch, dtype=torch.bool, device=dev)
        length = 1
        for pos in range(max_len - 1):
            if done.all():
                break
            x = model.decoder.token_embedding(out[:, pos : pos + 1])
            x = x + model.decoder.positional_encoding.encoding[pos]
            allowed = (torch.arange(capacity, device=dev) <= pos).view(1, 1, 1, -1)
            for i, layer in enumerate(model.decoder.layers):
                k, v = cache.update(i, pos, *keys_and_values(layer.self_attn, x))
                x = layer.norm1(x + attend(layer.self_attn, x, k, v, allowed))
                x = layer.norm2(x + attend(layer.cross_attn, x, mem_k[i], mem_v[i], mem_mask))
                x = layer.norm3(x + layer.feed_forward(x))
            nxt = model.output(x[:, 0]).argmax(-1)
            nxt = torch.where(done, model.pad_id, nxt)
            out[:, pos + 1] = nxt
            done = done | (nxt == end_id)
            length += 1
    for m, mode in was.items():
        m.training = mode
    return out[:, :length].clone()

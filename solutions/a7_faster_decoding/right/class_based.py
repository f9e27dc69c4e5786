# A class holds what one layer keeps, and grows; a step of a layer uses it, too.
# %% solution="layer_step"
class Kept:
    def __init__(self, keys, values):
        self.keys, self.values = keys, values

    def grow(self, keys, values):
        self.keys = torch.cat((self.keys, keys), dim=-2)
        self.values = torch.cat((self.values, values), dim=-2)
        return self


def layer_step(
    layer, x, keys, values, memory_keys, memory_values, target_mask=None, memory_mask=None
):
    kept = Kept(keys, values).grow(*keys_and_values(layer.self_attn, x))
    memory = Kept(memory_keys, memory_values)
    asked = (
        (layer.norm1, lambda y: attend(layer.self_attn, y, kept.keys, kept.values, target_mask)),
        (layer.norm2, lambda y: attend(layer.cross_attn, y, memory.keys, memory.values, memory_mask)),
        (layer.norm3, layer.feed_forward),
    )
    for norm, part in asked:
        x = norm(x + part(x))
    return x, kept.keys, kept.values

# %% solution="greedy_decode_cached"
class Writer:
    def __init__(self, model, source):
        self.model, self.source = model, source
        self.cache = start_cache(model, source)

    def next(self, target):
        x, keys, values = decoder_step(self.model, target, self.source, *self.cache)
        self.cache = (keys, values) + tuple(self.cache[2:])
        return self.model.output(x).argmax(-1)


def greedy_decode_cached(model, source, start_id, end_id, max_len):
    mode = model.training
    try:
        with torch.inference_mode():
            writer = Writer(model.eval(), source)
            target = torch.full((len(source), 1), start_id, dtype=torch.long, device=source.device)
            going = torch.ones_like(target).bool()
            while target.size(1) < max_len and going.any():
                word = torch.where(going, writer.next(target), model.pad_id)
                going = going & (word != end_id)
                target = torch.cat((target, word), 1)
    finally:
        model.train(mode)
    return target.clone()

# Over-engineered with a dataclass for the cache, helpers and many keyword arguments.
# fails: layer_masks, cache_start, step_sizes, cached_care
# %% solution="layer_step"
from dataclasses import dataclass, field


@dataclass
class AttentionContext:
    """Keys, values and the mask that belongs to them."""

    keys: torch.Tensor
    values: torch.Tensor
    mask: torch.Tensor | None = None

    def append(self, keys, values):
        return AttentionContext(
            torch.cat([self.keys, keys], dim=-2),
            torch.cat([self.values, values], dim=-2),
            self.mask,
        )


def _build_contexts(keys, values, memory_keys, memory_values, target_mask, memory_mask):
    own = AttentionContext(keys, values)
    memory = AttentionContext(memory_keys, memory_values)
    if target_mask is not None:
        own.mask = target_mask
    elif memory_mask is not None:
        memory.mask = memory_mask
    return own, memory


def layer_step(
    layer, x, keys, values, memory_keys, memory_values, target_mask=None, memory_mask=None
):
    own, memory = _build_contexts(
        keys, values, memory_keys, memory_values, target_mask, memory_mask
    )
    own = own.append(*keys_and_values(layer.self_attn, x))
    sublayers = (
        (layer.norm1, lambda h: attend(layer.self_attn, h, own.keys, own.values, own.mask)),
        (
            layer.norm2,
            lambda h: attend(layer.cross_attn, h, memory.keys, memory.values, memory.mask),
        ),
        (layer.norm3, layer.feed_forward),
    )
    for norm, sublayer in sublayers:
        x = norm(x + sublayer(x))
    return x, own.keys, own.values


# %% solution="start_cache"
def start_cache(model, source):
    memory = model.encode(source)
    layers = model.decoder.layers
    projected = [keys_and_values(layer.cross_attn, memory) for layer in layers]
    memory_keys, memory_values = map(torch.stack, zip(*projected, strict=True))

    n_heads = layers[0].self_attn.n_heads
    d_k = memory.size(-1) // n_heads
    shape = (len(layers), source.size(0), n_heads, 0, d_k)
    return torch.empty(shape), torch.empty(shape), memory_keys, memory_values


# %% solution="decoder_step"
def _check_sizes(n_tokens, n_cached, max_len):
    if n_cached != n_tokens - 1:
        raise ValueError(
            f"Cache/target mismatch: the target has {n_tokens} token(s) "
            f"but the cache holds {n_cached} position(s)."
        )
    if n_tokens > max_len:
        raise ValueError(f"Target exceeds the maximum supported length of {max_len}.")


def decoder_step(model, target, source, keys, values, memory_keys, memory_values):
    decoder = model.decoder
    table = decoder.positional_encoding.encoding
    n_tokens = target.size(-1)
    _check_sizes(n_tokens=n_tokens, n_cached=keys.size(-2), max_len=table.size(0))

    newest = target.narrow(1, n_tokens - 1, 1)
    x = decoder.token_embedding(newest) + table.narrow(0, n_tokens - 1, 1)
    masks = {
        "target_mask": padding_mask(target, pad_id=model.pad_id),
        "memory_mask": model.source_mask(source),
    }
    grown_keys, grown_values = [], []
    per_layer = zip(
        decoder.layers,
        keys.unbind(0),
        values.unbind(0),
        memory_keys.unbind(0),
        memory_values.unbind(0),
        strict=True,
    )
    for layer, *tensors in per_layer:
        x, layer_keys, layer_values = layer_step(layer, x, *tensors, **masks)
        grown_keys.append(layer_keys)
        grown_values.append(layer_values)
    return x, torch.stack(grown_keys), torch.stack(grown_values)


# %% solution="greedy_decode_cached"
from contextlib import contextmanager


@contextmanager
def evaluating(model):
    was_training = model.training
    model.eval()
    try:
        yield model
    finally:
        model.train(was_training)


def greedy_decode_cached(model, source, start_id, end_id, max_len):
    with evaluating(model):
        keys, values, *memory = start_cache(model, source)
        tokens = torch.full_like(source[:, :1], start_id)
        finished = torch.zeros_like(tokens, dtype=torch.bool)
        while tokens.size(1) < max_len and not bool(finished.all()):
            x, keys, values = decoder_step(model, tokens, source, keys, values, *memory)
            best = model.output(x).argmax(dim=-1)
            best = best.masked_fill(finished, model.pad_id)
            finished = finished.logical_or(best.eq(end_id))
            tokens = torch.cat([tokens, best], dim=1)
        return tokens

# Caches are there from the start, and heads are named axes.
# %% solution="keys_and_values"
def _heads(projection, x, h):
    w = projection.weight.unflatten(0, (h, -1))  # h k d
    b = projection.bias.unflatten(0, (h, -1))  # h k
    return torch.einsum("btd,hkd->bhtk", x, w) + b[:, None, :]


def keys_and_values(attention, x):
    return tuple(_heads(p, x, attention.n_heads) for p in (attention.k_proj, attention.v_proj))


# %% solution="attend"
def attend(attention, x, keys, values, mask=None):
    w = attention.q_proj.weight.unflatten(0, (attention.n_heads, -1))
    b = attention.q_proj.bias.unflatten(0, (attention.n_heads, -1))
    q = torch.einsum("btd,hkd->bhtk", x, w) + b[:, None, :]
    scores = torch.einsum("bhqk,bhsk->bhqs", q, keys) * keys.shape[-1] ** -0.5
    if mask is not None:
        scores = torch.where(mask, scores, -math.inf)
    return attention.out_proj(
        torch.einsum("bhqs,bhsk->bqhk", scores.softmax(-1), values).flatten(2)
    )


# %% solution="greedy_decode_cached"
from contextlib import contextmanager
from dataclasses import dataclass


@contextmanager
def _evaluating(model):
    modes = [(m, m.training) for m in model.modules()]
    model.eval()
    try:
        with torch.no_grad():
            yield
    finally:
        for m, mode in modes:
            m.training = mode


@dataclass
class _Cache:
    keys: torch.Tensor
    values: torch.Tensor
    memory_keys: torch.Tensor
    memory_values: torch.Tensor

    @classmethod
    def allot(cls, model, source, size):
        *_, mk, mv = start_cache(model, source)
        room = mk.new_zeros(*mk.shape[:3], size, mk.shape[-1])
        return cls(room, room.clone(), mk, mv)


def greedy_decode_cached(model, source, start_id, end_id, max_len):
    batch, size = len(source), max(max_len - 1, 1)
    with _evaluating(model):
        cache = _Cache.allot(model, source, size)
        page = source.new_full((batch, max_len), model.pad_id)
        page[:, 0] = start_id
        writing = torch.ones(batch, dtype=torch.bool, device=source.device)
        listened = torch.zeros(batch, 1, 1, size, dtype=torch.bool, device=source.device)
        memory_mask = model.source_mask(source)
        table = model.decoder.positional_encoding.encoding
        for t in range(max_len - 1):
            if not writing.any():
                return page[:, : t + 1]
            if t >= len(table):
                raise ValueError(f"{t + 1} tokens are more than max_len={len(table)}")
            token = page[:, t : t + 1]
            listened[..., t] = (token != model.pad_id)[:, None]
            x = model.decoder.token_embedding(token) + table[t]
            for i, layer in enumerate(model.decoder.layers):
                k, v = keys_and_values(layer.self_attn, x)
                cache.keys[i, :, :, t : t + 1] = k
                cache.values[i, :, :, t : t + 1] = v
                x = layer.norm1(
                    x + attend(layer.self_attn, x, cache.keys[i], cache.values[i], listened)
                )
                x = layer.norm2(
                    x
                    + attend(
                        layer.cross_attn,
                        x,
                        cache.memory_keys[i],
                        cache.memory_values[i],
                        memory_mask,
                    )
                )
                x = layer.norm3(x + layer.feed_forward(x))
            chosen = model.output(x).argmax(-1).squeeze(1)
            page[:, t + 1] = torch.where(writing, chosen, model.pad_id)
            writing = writing & (chosen != end_id)
        return page

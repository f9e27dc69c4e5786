# Buffers allotted for max_len, a cursor, and no function of the earlier cells used in the loop.
# %% solution="keys_and_values"
def keys_and_values(attention, x):
    both = torch.cat([attention.k_proj(x), attention.v_proj(x)], -1)
    pieces = both.tensor_split(2 * attention.n_heads, dim=-1)
    return torch.stack(pieces[: attention.n_heads], 1), torch.stack(pieces[attention.n_heads :], 1)
# %% solution="attend"
def attend(attention, x, keys, values, mask=None):
    n_heads, d_k = keys.shape[1], keys.shape[3]
    weight = attention.q_proj.weight.view(n_heads, d_k, -1)
    queries = torch.einsum("bti,hdi->bhtd", x, weight) + attention.q_proj.bias.view(n_heads, 1, d_k)
    scores = torch.einsum("bhtd,bhsd->bhts", queries, keys / d_k**0.5)
    if mask is not None:
        scores = scores.where(mask, scores.new_tensor(-math.inf))
    loud = (scores - scores.amax(-1, keepdim=True)).exp()
    heard = torch.einsum("bhts,bhsd->bhtd", loud / loud.sum(-1, keepdim=True), values)
    back = attention.out_proj.weight.view(-1, n_heads, d_k)
    return torch.einsum("bhtd,ohd->bto", heard, back) + attention.out_proj.bias
# %% solution="layer_step"
def layer_step(
    layer, x, keys, values, memory_keys, memory_values, target_mask=None, memory_mask=None
):
    grown = []
    for kept, new in zip((keys, values), keys_and_values(layer.self_attn, x)):
        longer = torch.nn.functional.pad(kept, (0, 0, 0, 1))
        longer[:, :, -1:] = new
        grown.append(longer)
    says = (
        lambda s: attend(layer.self_attn, s, *grown, target_mask),
        lambda s: attend(layer.cross_attn, s, memory_keys, memory_values, memory_mask),
        layer.feed_forward,
    )
    for norm, say in zip((layer.norm1, layer.norm2, layer.norm3), says):
        x = norm(x + say(x))
    return x, *grown
# %% solution="start_cache"
def start_cache(model, source):
    memory = model.encode(source)
    made = [torch.stack(keys_and_values(each.cross_attn, memory)) for each in model.decoder.layers]
    memory_keys, memory_values = torch.stack(made, 1)
    return *(each.narrow(3, 0, 0).clone() for each in (memory_keys, memory_values)), memory_keys, memory_values
# %% solution="decoder_step"
def decoder_step(model, target, source, keys, values, memory_keys, memory_values):
    tokens, kept = target.shape[1], keys.shape[3]
    places = model.decoder.positional_encoding.encoding
    for wrong, said in (
        (kept - tokens != -1, f"{kept} positions are kept for {tokens} tokens"),
        (tokens > len(places), f"{tokens} tokens are more than max_len = {len(places)}"),
    ):
        if wrong:
            raise ValueError(said)
    x = model.decoder.token_embedding(target[:, kept:]).add(places[kept])
    masks = target.ne(model.pad_id)[:, None, None], source.ne(model.pad_id)[:, None, None]
    rows = [[], []]
    for at, layer in enumerate(model.decoder.layers):
        past = (each[at] for each in (keys, values, memory_keys, memory_values))
        x, *new = layer_step(layer, x, *past, *masks)
        for row, each in zip(rows, new):
            row.append(each)
    return x, torch.stack(rows[0]), torch.stack(rows[1])
# %% solution="greedy_decode_cached"
import contextlib


@contextlib.contextmanager
def _reading(model):
    modes = [(part, part.training) for part in model.modules()]
    try:
        with torch.inference_mode():
            yield model.eval()
    finally:
        for part, mode in modes:
            part.training = mode


def greedy_decode_cached(model, source, start_id, end_id, max_len):
    with _reading(model):
        layers, places = model.decoder.layers, model.decoder.positional_encoding.encoding
        memory = model.encode(source)
        n, pad = source.shape[0], model.pad_id
        other = source.ne(pad)[:, None, None]
        theirs = [keys_and_values(layer.cross_attn, memory) for layer in layers]
        n_heads = layers[0].self_attn.n_heads
        room = memory.new_zeros(len(layers), 2, n, n_heads, max_len, memory.shape[2] // n_heads)
        page = source.new_full((n, max_len), pad)
        page[:, 0] = start_id
        heard = torch.zeros_like(page, dtype=torch.bool)
        left = torch.ones_like(page[:, 0], dtype=torch.bool)
        cursor = 0
        while cursor + 1 < max_len and left.any():
            heard[:, cursor] = page[:, cursor] != pad
            x = model.decoder.token_embedding(page[:, cursor, None]) + places[cursor]
            for layer, ours, (k, v) in zip(layers, room, theirs):
                ours[:, :, :, cursor] = torch.stack(keys_and_values(layer.self_attn, x))[:, :, :, 0]
                x = layer.norm1(x + attend(layer.self_attn, x, *ours, heard[:, None, None]))
                x = layer.norm2(x + attend(layer.cross_attn, x, k, v, other))
                x = layer.norm3(x + layer.feed_forward(x))
            cursor += 1
            page[:, cursor] = torch.where(left, model.output(x)[:, 0].argmax(-1), pad)
            left = left & (page[:, cursor] != end_id)
    return page[:, : cursor + 1].clone()

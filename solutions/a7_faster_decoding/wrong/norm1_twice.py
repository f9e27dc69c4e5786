# Norm1 for norm2, places counted without pads, a maximum over blocked keys.
# fails: attend_mask, layer_output, layer_masks, cache_start, step_masks, step_sizes, cached_words
# lines: shifted = scores - scores.amax(dim=-1, keepdim=True)
# lines: e = e.masked_fill(~mask, 0.0)
# lines: x = layer.norm1(x + attend(layer.cross_attn, x, memory_keys, memory_values, memory_mask))
# lines: keys, values = (torch.zeros(n_layers, batch, n_heads, 0, d_k) for _ in range(2))
# lines: attention_mask = padding_mask(target, model.pad_id)
# lines: places = decoder.positional_encoding.encoding[position_ids[:, -1:]]
# lines: logits[:, model.pad_id] = float("-inf")
# %% solution="keys_and_values"
from einops import rearrange, repeat


def split_heads(x, n_heads):
    return rearrange(x, "b t (h d) -> b h t d", h=n_heads)


def keys_and_values(attention, x):
    return tuple(split_heads(proj(x), attention.n_heads) for proj in (attention.k_proj, attention.v_proj))

# %% solution="attend"
def masked_softmax(scores, mask):
    shifted = scores - scores.amax(dim=-1, keepdim=True)
    e = shifted.exp()
    if mask is not None:
        e = e.masked_fill(~mask, 0.0)
    return e / e.sum(dim=-1, keepdim=True)


def attend(attention, x, keys, values, mask=None):
    queries = split_heads(attention.q_proj(x), attention.n_heads)
    scale = queries.shape[-1] ** -0.5
    scores = torch.einsum("bhqd,bhkd->bhqk", queries * scale, keys)
    mixed = torch.einsum("bhqk,bhkd->bhqd", masked_softmax(scores, mask), values)
    return attention.out_proj(rearrange(mixed, "b h q d -> b q (h d)"))

# %% solution="layer_step"
def append(kept, new):
    return torch.cat((kept, new), dim=-2)


def layer_step(
    layer, x, keys, values, memory_keys, memory_values, target_mask=None, memory_mask=None
):
    keys, values = map(append, (keys, values), keys_and_values(layer.self_attn, x))
    x = layer.norm1(x + attend(layer.self_attn, x, keys, values, target_mask))
    x = layer.norm1(x + attend(layer.cross_attn, x, memory_keys, memory_values, memory_mask))
    x = layer.norm3(x + layer.feed_forward(x))
    return x, keys, values

# %% solution="start_cache"
def start_cache(model, source):
    memory = model.encode(source)
    pairs = [keys_and_values(layer.cross_attn, memory) for layer in model.decoder.layers]
    memory_keys, memory_values = (torch.stack(each) for each in zip(*pairs))
    n_layers, batch, n_heads, _, d_k = memory_keys.shape
    keys, values = (torch.zeros(n_layers, batch, n_heads, 0, d_k) for _ in range(2))
    return keys, values, memory_keys, memory_values

# %% solution="decoder_step"
def embed_last(model, target):
    decoder = model.decoder
    attention_mask = padding_mask(target, model.pad_id)
    position_ids = rearrange(attention_mask, "b 1 1 t -> b t").cumsum(dim=-1) - 1
    places = decoder.positional_encoding.encoding[position_ids[:, -1:]]
    return decoder.token_embedding(target[:, -1:]) + places


def check_sizes(model, target, keys):
    n_tokens, n_kept = target.shape[1], keys.shape[-2]
    limit = len(model.decoder.positional_encoding.encoding)
    if n_kept + 1 != n_tokens:
        raise ValueError(f"{n_tokens} tokens do not go with {n_kept} kept positions")
    if n_tokens > limit:
        raise ValueError(f"{n_tokens} tokens, but max_len is {limit}")


def decoder_step(model, target, source, keys, values, memory_keys, memory_values):
    check_sizes(model, target, keys)
    x = embed_last(model, target)
    masks = padding_mask(target, model.pad_id), padding_mask(source, model.pad_id)
    kept = []
    for layer, *cached in zip(model.decoder.layers, keys, values, memory_keys, memory_values):
        x, *new = layer_step(layer, x, *cached, *masks)
        kept.append(new)
    keys, values = map(torch.stack, zip(*kept))
    return x, keys, values

# %% solution="greedy_decode_cached"
from contextlib import contextmanager


@contextmanager
def evaluating(model):
    was_training = model.training
    model.eval()
    try:
        with torch.no_grad():
            yield model
    finally:
        model.train(was_training)


def next_tokens(model, x, ended):
    logits = rearrange(model.output(x), "b 1 v -> b v")
    logits[:, model.pad_id] = float("-inf")
    return logits.argmax(dim=-1).masked_fill(ended, model.pad_id)


def greedy_decode_cached(model, source, start_id, end_id, max_len):
    with evaluating(model):
        target = repeat(source.new_tensor([start_id]), "1 -> b 1", b=len(source))
        ended = source.new_zeros(len(source), dtype=torch.bool)
        keys, values, *memory = start_cache(model, source)
        while target.shape[1] < max_len and not ended.all():
            x, keys, values = decoder_step(model, target, source, keys, values, *memory)
            new = next_tokens(model, x, ended)
            target = torch.cat([target, rearrange(new, "b -> b 1")], dim=1)
            ended = ended | (new == end_id)
    return target

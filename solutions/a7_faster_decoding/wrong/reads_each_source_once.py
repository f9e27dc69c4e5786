# Weights set to 0 after the softmax, a source known by its tensor, words squeezed.
# fails: attend_output, attend_mask, cache_start, cached_words, cached_end, cached_care, cached_work
# %% solution="attend"
import math


def attend(attention, x, keys, values, mask=None):
    batch, t_q, d_model = x.shape
    d_k = d_model // attention.n_heads
    q = attention.q_proj(x).view(batch, t_q, attention.n_heads, d_k).transpose(1, 2)
    scores = q @ keys.transpose(-2, -1) / math.sqrt(d_k)
    weights = torch.softmax(scores, dim=-1)
    if mask is not None:
        weights = weights.masked_fill(~mask, 0.0)
    out = (weights @ values).transpose(1, 2).reshape(batch, t_q, d_model)
    return attention.out_proj(out)


# %% solution="start_cache"
def start_cache(model, source):
    # reading is expensive: do it once for each source
    kept = getattr(model, "_read", None)
    if kept is not None and kept[0] is source:
        return kept[1]
    memory = model.encode(source)
    memory_keys, memory_values = [], []
    for layer in model.decoder.layers:
        k, v = keys_and_values(layer.cross_attn, memory)
        memory_keys.append(k)
        memory_values.append(v)
    memory_keys, memory_values = torch.stack(memory_keys), torch.stack(memory_values)
    nothing = memory_keys.new_zeros(*memory_keys.shape[:3], 0, memory_keys.shape[-1])
    cache = nothing, nothing, memory_keys, memory_values
    model._read = (source, cache)
    return cache


# %% solution="greedy_decode_cached"
@torch.no_grad()
def greedy_decode_cached(model, source, start_id, end_id, max_len):
    mode = model.training
    model.eval()
    keys, values, memory_keys, memory_values = start_cache(model, source)
    n = len(source)
    target = torch.full((n, max_len), model.pad_id, dtype=torch.long, device=source.device)
    target[:, 0] = start_id
    open_rows = torch.ones(n, dtype=torch.bool, device=source.device)
    length = 1
    while length < max_len and open_rows.any():
        x, keys, values = decoder_step(
            model, target[:, :length], source, keys, values, memory_keys, memory_values
        )
        words = model.output(x).argmax(-1).squeeze()
        target[open_rows, length] = words[open_rows]
        open_rows = open_rows & (words != end_id)
        length += 1
    model.train(mode)
    return target[:, :length]

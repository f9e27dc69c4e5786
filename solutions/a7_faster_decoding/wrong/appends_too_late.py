# Somebody who updates the cache at the end of the step, as one saves a file.
# fails: attend_output, attend_mask, layer_output, layer_masks, cached_end, cached_care
# %% solution="attend"
def attend(attention, x, keys, values, mask=None):
    batch, t_q, d_model = x.shape
    n_heads = attention.n_heads
    q = attention.q_proj(x)
    q = q.reshape(batch, t_q, n_heads, -1).permute(0, 2, 1, 3)
    att = torch.matmul(q, keys.transpose(2, 3)) / math.sqrt(d_model)
    if mask is not None:
        att = att.masked_fill(mask == 0, float("-inf"))
    att = torch.softmax(att, dim=3)
    out = torch.matmul(att, values)
    out = out.permute(0, 2, 1, 3).contiguous().view(batch, t_q, d_model)
    return attention.out_proj(out)

# %% solution="layer_step"
def layer_step(
    layer, x, keys, values, memory_keys, memory_values, target_mask=None, memory_mask=None
):
    new_k, new_v = keys_and_values(layer.self_attn, x)
    # look at the past
    past_mask = None if target_mask is None else target_mask[..., :-1]
    out = attend(layer.self_attn, x, keys, values, past_mask)
    x = layer.norm1(x + out)
    # look at the source
    out = attend(layer.cross_attn, x, memory_keys, memory_values, memory_mask)
    x = layer.norm2(x + out)
    # think
    x = layer.norm3(x + layer.feed_forward(x))
    # remember for the next step
    return x, torch.cat([keys, new_k], dim=2), torch.cat([values, new_v], dim=2)

# %% solution="greedy_decode_cached"
def greedy_decode_cached(model, source, start_id, end_id, max_len):
    model.eval()
    with torch.no_grad():
        k, v, mk, mv = start_cache(model, source)
        out = torch.full((source.size(0), 1), start_id, dtype=torch.int64, device=source.device)
        finished = torch.zeros(source.size(0), dtype=torch.bool, device=source.device)
        for _ in range(max_len - 1):
            x, k, v = decoder_step(model, out, source, k, v, mk, mv)
            nxt = model.output(x[:, 0]).argmax(1)
            finished = finished | (nxt == end_id)
            nxt = nxt.masked_fill(finished, model.pad_id)
            out = torch.cat([out, nxt.unsqueeze(1)], dim=1)
            if finished.all():
                break
    return out

# What stands behind an end is blanked once, at the end, and also behind an end that is none.
# fails: cached_end
# lines: ends = (written == end_id).long().argmax(dim=1, keepdim=True)
# %% solution="greedy_decode_cached"
def greedy_decode_cached(model, source, start_id, end_id, max_len):
    was_training = model.training
    model.eval()
    with torch.no_grad():
        keys, values, *memory = start_cache(model, source)
        target = torch.full_like(source[:, :1], start_id)
        going = torch.ones_like(target, dtype=torch.bool)
        for _ in range(max_len - 1):
            x, keys, values = decoder_step(model, target, source, keys, values, *memory)
            word = model.output(x).argmax(dim=-1)
            target = torch.cat([target, word], dim=1)
            going = going & (word != end_id)
            if not going.any():
                break
    model.train(was_training)
    written = target[:, 1:]
    if going.all():
        return target
    ends = (written == end_id).long().argmax(dim=1, keepdim=True)
    behind = torch.arange(written.shape[1], device=source.device) > ends
    return torch.cat([target[:, :1], written.masked_fill(behind, model.pad_id)], dim=1)

# What stands behind the end is wiped at last, and roll comes round to the start.
# fails: greedy_end, greedy_care
# lines: behind = ended.cumsum(dim=1).bool().roll(1, dims=1)
# %% solution="greedy_decode"
def greedy_decode(model, source, start_id, end_id, max_len):
    was_training = model.training
    model.eval()
    try:
        with torch.no_grad():
            memory = model.encode(source)
            target = torch.full((source.shape[0], 1), start_id, dtype=torch.long, device=source.device)
            while target.shape[1] < max_len:
                hidden = model.decode(target, memory, source)
                word = model.output(hidden[:, -1]).argmax(dim=-1, keepdim=True)
                target = torch.cat([target, word], dim=1)
                if (target[:, 1:] == end_id).any(dim=1).all():
                    break
    finally:
        model.train(was_training)

    # every row wrote on to the end of the longest, now wipe what stands behind the end tokens
    ended = target == end_id
    ended[:, 0] = False
    behind = ended.cumsum(dim=1).bool().roll(1, dims=1)
    return target.masked_fill(behind, model.pad_id)

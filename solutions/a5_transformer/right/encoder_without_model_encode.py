# Greedy decoding with the stacks themselves, only what still writes, and one step too many.
# %% solution="greedy_decode"
def greedy_decode(model, source, start_id, end_id, max_len):
    mode = model.training
    model.eval()
    with torch.no_grad():
        source_mask = model.source_mask(source)
        memory = model.encoder(source, source_mask)
        target = torch.full((source.size(0), 1), start_id, dtype=torch.long, device=source.device)
        for _ in range(max_len - 1):
            mask = model.target_mask(target)
            hidden = model.decoder(target, memory, mask, source_mask)
            word = torch.topk(model.output(hidden[:, -1]), 1).indices
            ended = (target[:, 1:] == end_id).any(dim=1, keepdim=True)
            if ended.all():
                break
            word = torch.where(ended, torch.full_like(word, model.pad_id), word)
            target = torch.cat((target, word), dim=-1)
    model.train(mode)
    return target

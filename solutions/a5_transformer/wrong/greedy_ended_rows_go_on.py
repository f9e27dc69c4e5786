# Rows that have ended write on until the last one ends.
# fails: greedy_end
# %% solution="greedy_decode"
def greedy_decode(model, source, start_id, end_id, max_len):
    was_training = model.training
    model.eval()
    with torch.no_grad():
        memory = model.encode(source)
        target = torch.full((len(source), 1), start_id, device=source.device)
        ended = torch.zeros_like(target, dtype=torch.bool)
        while target.shape[1] < max_len and not ended.all():
            last = model.decode(target, memory, source)[:, -1:]
            word = model.output(last).argmax(dim=-1)
            word = word
            target = torch.cat([target, word], dim=1)
            ended = ended | (word == end_id)
    model.train(was_training)
    return target

# The first token is made where torch makes everything, whatever device the source is on.
# fails: greedy_care
# %% solution="greedy_decode"
def greedy_decode(model, source, start_id, end_id, max_len):
    was_training = model.training
    model.eval()
    with torch.no_grad():
        memory = model.encode(source)
        target = torch.full((len(source), 1), start_id)
        ended = torch.zeros_like(target, dtype=torch.bool)
        while target.shape[1] < max_len and not ended.all():
            x = model.decode(target, memory, source)
            word = model.output(x[:, -1:]).argmax(dim=-1).masked_fill(ended, model.pad_id)
            target = torch.cat([target, word], dim=1)
            ended = ended | (word == end_id)
    model.train(was_training)
    return target

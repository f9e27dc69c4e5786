# What is written so far is read without a mask: "there is nothing to the right of the last word".
# fails: greedy_words
# %% solution="greedy_decode"
def greedy_decode(model, source, start_id, end_id, max_len):
    was_training = model.training
    model.eval()
    with torch.no_grad():
        memory, mask = model.encode(source), model.source_mask(source)
        target = torch.full_like(source[:, :1], start_id)
        ended = torch.zeros_like(target, dtype=torch.bool)
        while target.shape[1] < max_len and not ended.all():
            x = model.decoder(target, memory, memory_mask=mask)
            word = model.output(x[:, -1:]).argmax(dim=-1).masked_fill(ended, model.pad_id)
            target = torch.cat([target, word], dim=1)
            ended = ended | (word == end_id)
    model.train(was_training)
    return target

# Rows that have ended write on, and all must end in one and the same step.
# fails: greedy_end, greedy_care
# lines: words = next_words
# lines: finished = words == end_id
# %% solution="greedy_decode"
def greedy_decode(model, source, start_id, end_id, max_len):
    training = model.training
    model.eval()
    batch_size = source.shape[0]
    finished = torch.zeros(batch_size, dtype=torch.bool, device=source.device)
    with torch.no_grad():
        memory = model.encode(source)
        ys = source.new_full((batch_size, 1), start_id)
        while ys.shape[1] < max_len:
            hidden = model.decode(ys, memory, source)
            next_words = model.output(hidden[:, -1]).argmax(-1)
            words = next_words
            ys = torch.cat((ys, words[:, None]), dim=1)
            finished = words == end_id
            if finished.all():
                break
    model.train(training)
    return ys

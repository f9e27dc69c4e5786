# greedy_decode lets a row that has produced end_id write on instead of padding it.
# fails: greedy_end, greedy_care
# lines: (missing) padding behind the end of a row
# lines: if torch.all(newest == end_id):
# %% solution="greedy_decode"
@torch.no_grad()
def greedy_decode(model, source, start_id, end_id, max_len):
    was_training = model.training
    model.eval()
    memory = model.encode(source)  # once is enough

    # every row begins with the start token
    ys = source.new_full((source.size(0), 1), start_id)
    for _ in range(max_len - 1):
        out = model.decode(ys, memory, source)
        newest = model.output(out[:, -1]).argmax(dim=-1)
        ys = torch.cat((ys, newest[:, None]), dim=1)
        # finished?
        if torch.all(newest == end_id):
            break

    model.train(was_training)
    return ys

# greedy_decode writes up to max_len tokens behind the start, so one too many.
# fails: greedy_words, greedy_end, greedy_care
# lines: for step in range(max_len):
# lines: (missing) the mode in which the model came is not restored
# lines: (missing) torch.no_grad()
# %% solution="greedy_decode"
def greedy_decode(model, source, start_id, end_id, max_len):
    model.eval()
    batch = source.size(0)
    memory = model.encode(source)

    generated = torch.full((batch, 1), start_id, dtype=torch.long, device=source.device)
    finished = torch.zeros(batch, dtype=torch.bool, device=source.device)

    for step in range(max_len):
        if finished.all():
            break
        hidden = model.decode(generated, memory, source)
        choice = model.output(hidden[:, -1, :]).argmax(dim=-1)
        # a finished row only gets padding
        choice[finished] = model.pad_id
        finished = finished | (choice == end_id)
        generated = torch.cat([generated, choice.unsqueeze(1)], dim=1)

    return generated

# Feeds the last word alone, writes one too many, and the start may be an end.
# fails: greedy_words, greedy_end, greedy_care
# %% solution="greedy_decode"
@torch.no_grad()
def greedy_decode(model, source, start_id, end_id, max_len):
    was_training = model.training
    model.eval()
    memory = model.encode(source)
    batch = source.shape[0]
    word = torch.full((batch, 1), start_id, dtype=torch.int64, device=source.device)
    words = [word]
    done = word.squeeze(1) == end_id
    for _ in range(max_len):
        state = model.decode(word, memory, source)
        word = model.output(state[:, -1:]).argmax(-1)
        word = word.masked_fill(done.unsqueeze(1), model.pad_id)
        words.append(word)
        done = done | (word.squeeze(1) == end_id)
        if done.all():
            break
    model.train(was_training)
    return torch.cat(words, dim=1)

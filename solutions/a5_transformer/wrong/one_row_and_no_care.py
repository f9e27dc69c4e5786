# One row that never ends, in whatever mode the model is, and recorded for gradients.
# fails: greedy_words, greedy_end, greedy_care
# %% solution="greedy_decode"
def greedy_decode(model, source, start_id, end_id, max_len):
    memory = model.encode(source)
    words = source.new_tensor([[start_id]])
    while words.shape[1] < max_len:
        hidden = model.decode(words, memory, source)
        best = model.output(hidden[:, -1]).argmax(-1)
        words = torch.cat([words, best[:1].unsqueeze(0)], dim=1)
    return words

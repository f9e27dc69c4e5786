# Greedy decoding of one row after the other, without its padding; a loop, and right.
# %% solution="greedy_decode"
@torch.no_grad()
def greedy_decode(model, source, start_id, end_id, max_len):
    before = model.training
    model.train(False)
    memory = model.encode(source)
    rows = []
    for i in range(len(source)):
        words = torch.tensor([[start_id]], device=source.device)
        while words.shape[1] < max_len:
            hidden = model.decode(words, memory[i : i + 1], source[i : i + 1])
            next_word = model.output(hidden)[0, -1].argmax()
            words = torch.cat([words, next_word.reshape(1, 1)], dim=1)
            if next_word.item() == end_id:
                break
        rows.append(words[0])
    model.train(before)
    return nn.utils.rnn.pad_sequence(rows, batch_first=True, padding_value=model.pad_id)

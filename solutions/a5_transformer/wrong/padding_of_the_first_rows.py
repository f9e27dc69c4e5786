# Rows that are left are read with the padding of the first ones; a word is never padding.
# fails: greedy_words, greedy_end
# lines: heard = model.decode(output[alive, :length], memory, source[: len(alive)])
# lines: scores[:, model.pad_id] = float("-inf")
# %% solution="greedy_decode"
@torch.no_grad()
def greedy_decode(model, source, start_id, end_id, max_len):
    mode = model.training
    model.eval()
    memory = model.encode(source)
    n = source.size(0)
    output = source.new_full((n, max_len), model.pad_id)
    output[:, 0] = start_id
    alive = torch.arange(n, device=source.device)
    length = 1
    while length < max_len and len(alive) > 0:
        heard = model.decode(output[alive, :length], memory, source[: len(alive)])
        scores = model.output(heard[:, -1])
        scores[:, model.pad_id] = float("-inf")
        words = scores.argmax(dim=1)
        output[alive, length] = words
        length += 1
        going = words != end_id
        alive = alive[going]
        memory = memory[going]
    model.train(mode)
    return output[:, :length]

# The shortest greedy_decode there is: six mistakes.
# fails: greedy_words, greedy_end, greedy_care
# %% solution="greedy_decode"
def greedy_decode(model, source, start_id, end_id, max_len):
    out = torch.full((source.size(0), 1), start_id)
    for _ in range(max_len):
        logits = model(source, out)
        out = torch.cat([out, logits[:, -1].argmax(-1, keepdim=True)], 1)
    return out

# Rows that go on are known by their place among those before.
# fails: greedy_end
# lines: rows = torch.nonzero(word != end_id).flatten()
# %% solution="greedy_decode"
@torch.no_grad()
def greedy_decode(model, source, start_id, end_id, max_len):
    mode = model.training
    model.eval()
    try:
        n = source.shape[0]
        memory = model.encode(source)
        out = torch.full((n, max_len), model.pad_id, dtype=torch.int64, device=source.device)
        out[:, 0] = start_id
        width = 1
        rows = torch.arange(n, device=source.device)  # those that have not ended
        while width < max_len and rows.numel() > 0:
            seen = out[rows, :width]
            last = model.decode(seen, memory[rows], source[rows])[:, -1]
            word = model.output(last).argmax(dim=1)
            out[rows, width] = word
            width += 1
            rows = torch.nonzero(word != end_id).flatten()
        return out[:, :width]
    finally:
        model.train(mode)

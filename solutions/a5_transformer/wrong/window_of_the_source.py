# The target is cropped to the length of the source.
# fails: greedy_words
# %% solution="greedy_decode"
@torch.no_grad()
def greedy_decode(model, source, start_id, end_id, max_len):
    """
    Take a conditioning source and complete the target max_len - 1 times, feeding
    the predictions back into the model each time.
    """
    mode = model.training
    model.eval()
    block_size = source.size(1)
    memory = model.encode(source)
    idx = source.new_full((source.size(0), 1), start_id)
    alive = torch.ones_like(idx, dtype=torch.bool)
    for _ in range(max_len - 1):
        # if the context is growing too long we must crop it at block_size
        idx_cond = idx if idx.size(1) <= block_size else idx[:, -block_size:]
        logits = model.output(model.decode(idx_cond, memory, source))[:, -1, :]
        _, idx_next = torch.topk(logits, k=1, dim=-1)
        idx_next = torch.where(alive, idx_next, torch.full_like(idx_next, model.pad_id))
        idx = torch.cat((idx, idx_next), dim=1)
        alive = alive & (idx_next != end_id)
        if not alive.any():
            break
    model.train(mode)
    return idx

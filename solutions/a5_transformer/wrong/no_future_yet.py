# Thinks that while writing there is no future to be hidden, and cuts the source.
# fails: greedy_words
# %% solution="greedy_decode"
def greedy_decode(model, source, start_id, end_id, max_len):
    def step(target, memory, memory_mask):
        # nothing later than the last word exists yet: no causal mask needed
        hidden = model.decoder(target, memory, None, memory_mask)
        return model.output(hidden)[:, -1].argmax(dim=-1)

    was = model.training
    model.eval()
    try:
        with torch.no_grad():
            longest = int((source != model.pad_id).sum(dim=1).max())
            source = source[:, :longest]
            memory = model.encode(source)
            memory_mask = model.source_mask(source)
            columns = [source.new_full((source.size(0),), start_id)]
            alive = source.new_ones(source.size(0)).bool()
            while len(columns) < max_len and bool(alive.any()):
                new = step(torch.stack(columns, 1), memory, memory_mask)
                new = torch.where(alive, new, torch.full_like(new, model.pad_id))
                alive = alive & (new != end_id)
                columns.append(new)
    finally:
        model.train(was)
    return torch.stack(columns, 1)

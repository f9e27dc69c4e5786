# Rows are padded when all is written; the start counts as an end, and all must end at once.
# fails: greedy_end, greedy_care
# %% solution="greedy_decode"
def greedy_decode(model, source, start_id, end_id, max_len):
    model.eval()
    src = source
    batch_size = src.shape[0]
    with torch.no_grad():
        enc_src = model.encode(src)
        trg = torch.full((batch_size, 1), start_id, dtype=torch.long, device=src.device)
        for _ in range(max_len - 1):
            dec = model.decode(trg, enc_src, src)
            pred_token = model.output(dec[:, -1]).argmax(1)
            trg = torch.cat([trg, pred_token.unsqueeze(1)], dim=1)
            if (pred_token == end_id).all():
                break
        # everything behind the first <eos> of a row becomes <pad>
        hits = (trg == end_id).long()
        after = hits.cumsum(dim=1) - hits
        trg = trg.masked_fill(after > 0, model.pad_id)
    model.train()
    return trg

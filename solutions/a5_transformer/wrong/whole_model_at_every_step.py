# Every step calls the whole model, so the source is encoded again for each word.
# fails: greedy_care
# lines: logits = model(source, target)
# %% solution="greedy_decode"
@torch.no_grad()
def greedy_decode(model, source, start_id, end_id, max_len):
    was_training = model.training
    model.eval()
    target = torch.full((source.size(0), 1), start_id, dtype=torch.long, device=source.device)
    done = torch.zeros(source.size(0), dtype=torch.bool, device=source.device)
    for _ in range(max_len - 1):
        logits = model(source, target)
        next_token = logits[:, -1, :].argmax(dim=-1)
        next_token = torch.where(done, torch.full_like(next_token, model.pad_id), next_token)
        target = torch.cat([target, next_token.unsqueeze(-1)], dim=1)
        done |= next_token == end_id
        if done.all():
            break
    model.train(was_training)
    return target

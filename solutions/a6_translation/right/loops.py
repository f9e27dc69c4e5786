# One token after the other, in plain loops.

# %% solution="smoothed_loss"
def smoothed_loss(logits, target, pad_id=0, smoothing=0.1):
    losses = []
    for sentence, words in zip(logits, target):
        for row, word in zip(sentence, words.tolist()):
            if word == pad_id:
                continue
            log_p = row - row.max() - (row - row.max()).exp().sum().log()
            losses.append(-(1 - smoothing) * log_p[word] - smoothing * log_p.sum() / len(row))
    return torch.stack(losses).mean()


# %% solution="warmup_rate"
def warmup_rate(step, d_model, warmup_steps):
    import math

    return min(1 / math.sqrt(step), step / math.sqrt(warmup_steps) ** 3) / math.sqrt(d_model)

# warmup_rate adds 1 to the step, as if steps were counted from 0.
# fails: warmup_rate
# lines: step_num = step + 1
# %% solution="warmup_rate"
def warmup_rate(step, d_model, warmup_steps):
    # avoid 0 ** -0.5 in the very first step
    step_num = step + 1
    return d_model ** (-0.5) * min(step_num ** (-0.5), step_num * warmup_steps ** (-1.5))

# %% solution="smoothed_loss"
def smoothed_loss(logits, target, pad_id=0, smoothing=0.1):
    vocab_size = logits.size(-1)
    log_probs = logits.log_softmax(dim=-1).reshape(-1, vocab_size)
    labels = target.reshape(-1)

    keep = labels != pad_id
    log_probs, labels = log_probs[keep], labels[keep]

    true_dist = torch.full_like(log_probs, smoothing / vocab_size)
    hit = torch.full_like(log_probs[:, :1], 1.0 - smoothing)
    true_dist = true_dist.scatter_add(1, labels.unsqueeze(1), hit)
    return (-true_dist * log_probs).sum(dim=-1).mean()

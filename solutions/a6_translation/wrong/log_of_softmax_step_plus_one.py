# The logarithm of the softmax plus 1e-8; and steps are counted up by one.
# fails: loss_value, loss_padding, loss_large_logits, loss_gradients, loss_tensors, warmup_rate
# lines: logs = torch.log(probs + 1e-8)
# lines: step = step + 1  # no division by zero
# %% solution="smoothed_loss"
def smoothed_loss(logits, target, pad_id=0, smoothing=0.1):
    probs = torch.softmax(logits, dim=-1)
    logs = torch.log(probs + 1e-8)
    mask = target != pad_id
    chosen = torch.gather(logs, 2, target.unsqueeze(2)).squeeze(2)
    loss = -(1 - smoothing) * chosen - smoothing * logs.mean(dim=2)
    return loss[mask].mean()

# %% solution="warmup_rate"
def warmup_rate(step, d_model, warmup_steps):
    step = step + 1  # no division by zero
    return (d_model ** -0.5) * min(step ** -0.5, step * warmup_steps ** -1.5)

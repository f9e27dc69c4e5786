# The smoothing is shared out among the V - 1 other words.
# fails: loss_value, loss_padding, loss_large_logits, loss_gradients, loss_tensors
# lines: loss = -((1 - smoothing) * right + smoothing / others * wrong)
# %% solution="smoothed_loss"
def smoothed_loss(logits, target, pad_id=0, smoothing=0.1):
    vocab_size = logits.size(-1)
    log_probs = torch.log_softmax(logits, dim=-1)
    right = log_probs.gather(-1, target.unsqueeze(-1)).squeeze(-1)
    wrong = log_probs.sum(-1) - right
    # the right word keeps 1 - smoothing, the others share the rest
    others = max(vocab_size - 1, 1)
    loss = -((1 - smoothing) * right + smoothing / others * wrong)
    real = target.ne(pad_id)
    return loss.masked_select(real).mean()

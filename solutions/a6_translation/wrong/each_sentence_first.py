# The mean is taken over each sentence first.
# fails: loss_padding, loss_gradients, loss_tensors
# lines: return per_sentence.mean()
# %% solution="smoothed_loss"
def smoothed_loss(logits, target, pad_id=0, smoothing=0.1):
    batch, t, vocab_size = logits.shape
    log_p = torch.nn.functional.log_softmax(logits, -1)
    # the distribution that we would like to see
    wanted = torch.full_like(log_p, smoothing / vocab_size)
    wanted.scatter_add_(-1, target[:, :, None], torch.full_like(log_p[:, :, :1], 1 - smoothing))
    losses = -(wanted * log_p).sum(-1)
    real = (target != pad_id).to(losses.dtype)
    per_sentence = (losses * real).sum(1) / real.sum(1).clamp(min=1)
    return per_sentence.mean()

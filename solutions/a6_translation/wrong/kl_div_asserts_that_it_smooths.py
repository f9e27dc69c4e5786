# The loss of a well-known toolkit: divergence, V - 2 words, and an assert against no smoothing.
# fails: loss_value, loss_padding, loss_large_logits, loss_gradients, loss_tensors
# %% solution="smoothed_loss"
def smoothed_loss(logits, target, pad_id=0, smoothing=0.1):
    assert 0 < smoothing < 1
    n_words = logits.size(-1)
    flat, gold = logits.reshape(-1, n_words), target.reshape(-1)
    wish = torch.full_like(flat, smoothing / (n_words - 2))
    wish[:, pad_id] = 0
    wish = wish.scatter(1, gold.unsqueeze(1), 1 - smoothing)
    wish = wish.masked_fill((gold == pad_id).unsqueeze(1), 0)
    divergence = torch.nn.functional.kl_div(flat.log_softmax(-1), wish, reduction="sum")
    return divergence / (gold != pad_id).sum()

# Everything flattened first, the words picked by index.

# %% solution="smoothed_loss"
def smoothed_loss(logits, target, pad_id=0, smoothing=0.1):
    flat, words = logits.reshape(-1, logits.shape[-1]), target.reshape(-1)
    kept = (words != pad_id).nonzero().squeeze(1)
    flat, words = flat[kept], words[kept]
    log_p = torch.log_softmax(flat, 1)
    picked = log_p[torch.arange(len(words), device=words.device), words]
    return ((smoothing - 1) * picked.sum() - smoothing * log_p.sum() / flat.shape[1]) / len(words)

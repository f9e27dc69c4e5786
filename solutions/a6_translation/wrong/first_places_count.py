# Real tokens counted from the front, smoothing under no_grad, one maximum for all.
# fails: loss_value, loss_padding, loss_large_logits, loss_gradients, loss_tensors, warmup_rate
# lines: z = z - z.detach().max()
# lines: lengths = (target != pad_id).sum(dim=1)
# lines: return positions[None, :] < lengths[:, None]
# lines: with torch.no_grad():  # the same for every word: a constant
# lines: others = (log_p.sum(dim=1) - right) / (n_words - 1)
# lines: n = step + 1
# %% solution="smoothed_loss"
def log_probabilities(z):
    z = z - z.detach().max()
    return z - z.exp().sum(-1, keepdim=True).log()


def is_real(target, pad_id):
    lengths = (target != pad_id).sum(dim=1)
    positions = torch.arange(target.shape[1], device=target.device)
    return positions[None, :] < lengths[:, None]


def smoothed_loss(logits, target, pad_id=0, smoothing=0.1):
    keep = is_real(target, pad_id)
    right_words = target[keep]
    log_p = log_probabilities(logits[keep])
    n_tokens, n_words = log_p.shape

    rows = torch.arange(n_tokens, device=logits.device)
    right = log_p[rows, right_words]
    with torch.no_grad():  # the same for every word: a constant
        others = (log_p.sum(dim=1) - right) / (n_words - 1)

    per_token = -(1 - smoothing) * right - smoothing * others
    return per_token.sum() / n_tokens

# %% solution="warmup_rate"
def warmup_rate(step, d_model, warmup_steps):
    n = step + 1
    growing = n / warmup_steps**1.5
    shrinking = 1 / n**0.5
    return min(growing, shrinking) / d_model**0.5

# %% solution="train"
def train(model, training, validation, n_epochs=24, batch_size=64, warmup_steps=200, scale=0.4):
    X = to_ids([pair[0] for pair in training], SPANISH)
    Y = to_ids([pair[1] for pair in training], ENGLISH)
    Y_read, Y_predict = Y[:, :-1], Y[:, 1:]
    n = len(training)
    starts = range(0, n, batch_size)
    adam = torch.optim.Adam(model.parameters())
    progress = Progress(n_epochs * len(starts))
    history = []
    step = 0

    for epoch in range(n_epochs):
        model.train()
        shuffled = torch.randperm(n)
        epoch_losses = torch.zeros(len(starts))
        for i, start in enumerate(starts):
            step += 1
            index = shuffled[start : start + batch_size]
            learning_rate = scale * warmup_rate(step, SIZES["d_model"], warmup_steps)
            for group in adam.param_groups:
                group["lr"] = learning_rate
            adam.zero_grad()
            loss = smoothed_loss(model(X[index], Y_read[index]), Y_predict[index], pad_id=PAD)
            loss.backward()
            adam.step()
            epoch_losses[i] = loss.detach()
            progress.show(step, loss=loss.item())
        model.eval()
        match = exact_match(model, validation)
        history.append((epoch_losses.mean().item(), match))
        progress.show(step, loss=history[-1][0], exact_match=match)
        if match >= ENOUGH:
            return history
    return history

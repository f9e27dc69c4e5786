# The largest logit of all, the mean of each sentence's mean, and whole warm-ups.
# fails: loss_padding, loss_large_logits, loss_gradients, loss_tensors, warmup_rate
# lines: shifted = logits - logits.max()
# lines: return (per_token.sum(axis=1) / real.sum(axis=1)).mean()
# lines: ramp = (step // warmup_steps) / np.sqrt(warmup_steps)
# lines: order_x, order_y = torch.randperm(n), torch.randperm(n)
# %% solution="smoothed_loss"
import numpy as np


def smoothed_loss(logits, target, pad_id=0, smoothing=0.1):
    V = logits.shape[-1]
    shifted = logits - logits.max()
    logp = shifted - torch.log(torch.sum(torch.exp(shifted), axis=-1, keepdim=True))
    b, t = (torch.from_numpy(each).to(target.device) for each in np.indices(tuple(target.shape)))
    right = logp[b, t, target]
    per_token = -(1 - smoothing) * right - smoothing / V * logp.sum(axis=-1)
    real = target != pad_id
    per_token = torch.where(real, per_token, 0.0)
    return (per_token.sum(axis=1) / real.sum(axis=1)).mean()

# %% solution="warmup_rate"
def warmup_rate(step, d_model, warmup_steps):
    ramp = (step // warmup_steps) / np.sqrt(warmup_steps)
    return float(np.minimum(1 / np.sqrt(step), ramp) / np.sqrt(d_model))

# %% solution="train"
def train(model, training, validation, n_epochs=24, batch_size=64, warmup_steps=200, scale=0.4):
    spanish, english = zip(*training)
    X, Y = to_ids(spanish, SPANISH), to_ids(english, ENGLISH)
    n = len(training)
    n_batches = int(np.ceil(n / batch_size))
    progress = Progress(n_batches * n_epochs)
    adam = torch.optim.Adam(model.parameters())
    step, history = 0, []
    for epoch in range(n_epochs):
        model.train()
        order_x, order_y = torch.randperm(n), torch.randperm(n)
        losses = np.zeros(n_batches)
        for i in range(n_batches):
            step += 1
            here = slice(i * batch_size, (i + 1) * batch_size)
            x, y = X[order_x[here]], Y[order_y[here]]
            for group in adam.param_groups:
                group["lr"] = scale * warmup_rate(step, SIZES["d_model"], warmup_steps)
            loss = smoothed_loss(model(x, y[:, :-1]), y[:, 1:], pad_id=PAD)
            adam.zero_grad()
            loss.backward()
            adam.step()
            losses[i] = loss.item()
            progress.show(step, loss=losses[i])
        match = exact_match(model, validation)
        history.append((float(losses.mean()), match))
        if match >= ENOUGH:
            break
    return history

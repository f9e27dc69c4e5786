# A smoothing of 0 is none, squeeze takes every axis, and the peak forgets the warm-up.
# fails: loss_value, loss_padding, loss_large_logits, loss_gradients, loss_tensors, warmup_rate
# lines: smoothing = smoothing or 0.1
# lines: nll = -torch.gather(log_probs, dim=2, index=y_true).squeeze()
# lines: per_token = (1.0 - smoothing) * nll + smoothing * smooth
# lines: rate = np.minimum(arg1, arg2) / np.sqrt(d_model)
# lines: optimizer = torch.optim.Adam(model.parameters())
# lines: if accuracy >= ENOUGH:
# lines: break
# %% solution="smoothed_loss"
def smoothed_loss(logits, target, pad_id=0, smoothing=0.1):
    smoothing = smoothing or 0.1
    log_probs = torch.nn.functional.log_softmax(logits, dim=2)
    y_true = torch.unsqueeze(target, 2)
    nll = -torch.gather(log_probs, dim=2, index=y_true).squeeze()
    smooth = -torch.mean(log_probs, dim=2)
    per_token = (1.0 - smoothing) * nll + smoothing * smooth
    weights = torch.not_equal(target, pad_id).to(logits.dtype)
    return torch.sum(per_token * weights) / torch.sum(weights)

# %% solution="warmup_rate"
def warmup_rate(step, d_model, warmup_steps):
    import numpy as np

    arg1 = np.sqrt(warmup_steps / step)
    arg2 = step / warmup_steps
    rate = np.minimum(arg1, arg2) / np.sqrt(d_model)
    return float(rate)

# %% solution="train"
def train(model, training, validation, n_epochs=24, batch_size=64, warmup_steps=200, scale=0.4):
    from math import ceil

    inputs = to_ids([es for es, en in training], SPANISH)
    labels = to_ids([en for es, en in training], ENGLISH)
    steps_per_epoch = ceil(len(training) / batch_size)
    bar = Progress(steps_per_epoch * n_epochs)
    history = []
    global_step = 0
    for epoch in range(n_epochs):
        optimizer = torch.optim.Adam(model.parameters())
        model.train(True)
        running = []
        for indices in torch.randperm(len(training)).split(batch_size):
            global_step += 1
            optimizer.param_groups[0]["lr"] = scale * warmup_rate(
                global_step, SIZES["d_model"], warmup_steps
            )
            x, y = inputs[indices], labels[indices]
            predictions = model(x, y[:, :-1])
            loss = smoothed_loss(predictions, y[:, 1:], pad_id=PAD)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            running.append(loss.item())
            bar.show(global_step, loss=running[-1])
        model.train(False)
        accuracy = exact_match(model, validation)
        if accuracy >= ENOUGH:
            break
        history.append((sum(running) / len(running), accuracy))
    return history

# Subtracts the batch's largest logit, stops at the first pad, and counts steps anew.
# fails: loss_padding, loss_large_logits, loss_gradients, loss_tensors, warmup_rate
# lines: top = logits.detach().amax()
# lines: return torch.cumprod((target != pad_id).long(), dim=1).bool()
# lines: shape = (step - warmup_steps) ** -0.5
# lines: order = torch.randperm(len(training))
# lines: for step, chosen in enumerate(order.split(batch_size), start=1):
# %% solution="smoothed_loss"
def log_probabilities(logits):
    top = logits.detach().amax()
    shifted = logits - top
    return shifted - shifted.exp().sum(dim=-1, keepdim=True).log()


def is_real(target, pad_id):
    return torch.cumprod((target != pad_id).long(), dim=1).bool()


def smoothed_loss(logits, target, pad_id=0, smoothing=0.1):
    log_p = log_probabilities(logits)
    vocab_size = logits.shape[-1]
    surprise = -torch.take_along_dim(log_p, target[..., None], dim=-1)[..., 0]
    spread = -log_p.sum(dim=-1) / vocab_size
    mixed = torch.lerp(surprise, spread, float(smoothing))
    return mixed[is_real(target, pad_id)].mean()

# %% solution="warmup_rate"
def warmup_rate(step, d_model, warmup_steps):
    if step <= warmup_steps:
        shape = step * warmup_steps**-1.5
    else:
        shape = (step - warmup_steps) ** -0.5
    return shape / d_model**0.5

# %% solution="train"
def set_rate(optimizer, rate):
    for group in optimizer.param_groups:
        group["lr"] = rate


def learn(model, optimizer, source, target):
    loss = smoothed_loss(model(source, target[:, :-1]), target[:, 1:], PAD)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return loss.item()


def train(model, training, validation, n_epochs=24, batch_size=64, warmup_steps=200, scale=0.4):
    sources = to_ids([pair[0] for pair in training], SPANISH)
    targets = to_ids([pair[1] for pair in training], ENGLISH)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.0)
    per_epoch = (len(training) + batch_size - 1) // batch_size
    progress = Progress(n_epochs * per_epoch)
    history = []
    order = torch.randperm(len(training))
    for epoch in range(n_epochs):
        model.train()
        total, count = 0.0, 0
        for step, chosen in enumerate(order.split(batch_size), start=1):
            set_rate(optimizer, scale * warmup_rate(step, SIZES["d_model"], warmup_steps))
            total += learn(model, optimizer, sources[chosen], targets[chosen])
            count += 1
            progress.show(epoch * per_epoch + count, loss=total / count)
        model.eval()
        history.append((total / count, exact_match(model, validation)))
        if history[-1][1] >= ENOUGH:
            break
    return history

# The Annotated Transformer's smoothing with padding among the words, and no warm-up.
# fails: loss_value, loss_padding, loss_large_logits, loss_gradients, loss_tensors, warmup_rate
# lines: true_dist = torch.full_like(x.detach(), smoothing / (x.size(-1) - 2))
# lines: true_dist.scatter_(1, flat.unsqueeze(1), confidence)
# lines: return factor * (d_model ** (-0.5) * min(step ** (-0.5), step * warmup_steps ** (1.5)))
# lines: optimizer = torch.optim.Adam(model.parameters(), lr=scale, betas=(0.9, 0.98), eps=1e-9)
# lines: total_loss += loss.item()
# lines: scheduler.step()
# lines: out = model(src[batch], y[:, 1:])
# lines: loss = smoothed_loss(out, y[:, :-1], PAD)
# %% solution="smoothed_loss"
def smoothed_loss(logits, target, pad_id=0, smoothing=0.1):
    x = logits.log_softmax(dim=-1).reshape(-1, logits.size(-1))
    flat = target.reshape(-1)
    x, flat = x[flat != pad_id], flat[flat != pad_id]
    confidence = 1.0 - smoothing
    true_dist = torch.full_like(x.detach(), smoothing / (x.size(-1) - 2))
    true_dist.scatter_(1, flat.unsqueeze(1), confidence)
    return -(true_dist * x).sum(dim=-1).mean()

# %% solution="warmup_rate"
def warmup_rate(step, d_model, warmup_steps):
    factor = 1.0
    return factor * (d_model ** (-0.5) * min(step ** (-0.5), step * warmup_steps ** (1.5)))

# %% solution="train"
from torch.optim.lr_scheduler import LambdaLR


def train(model, training, validation, n_epochs=24, batch_size=64, warmup_steps=200, scale=0.4):
    src = to_ids([spanish for spanish, _ in training], SPANISH)
    tgt = to_ids([english for _, english in training], ENGLISH)
    optimizer = torch.optim.Adam(model.parameters(), lr=scale, betas=(0.9, 0.98), eps=1e-9)
    scheduler = LambdaLR(
        optimizer, lr_lambda=lambda step: warmup_rate(step + 1, SIZES["d_model"], warmup_steps)
    )
    n_batches = -(-len(training) // batch_size)
    progress = Progress(n_epochs * n_batches)
    history, done = [], 0
    for epoch in range(n_epochs):
        model.train()
        total_loss = 0.0
        for batch in torch.randperm(len(training)).split(batch_size):
            y = tgt[batch]
            out = model(src[batch], y[:, 1:])
            loss = smoothed_loss(out, y[:, :-1], PAD)
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            optimizer.step()
            total_loss += loss.item()
            done += 1
            progress.show(done, loss=loss.item())
        scheduler.step()
        model.eval()
        match = exact_match(model, validation)
        history.append((total_loss / n_batches, match))
        progress.show(done, loss=total_loss / n_batches, exact_match=match)
        if match >= ENOUGH:
            break
    return history

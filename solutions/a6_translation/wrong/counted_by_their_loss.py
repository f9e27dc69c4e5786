# Wrong words share the smoothing, a loss of 0 is padding, and the falling rate is one step ahead.
# fails: loss_value, loss_padding, loss_large_logits, loss_gradients, loss_tensors, warmup_rate

# %% solution="smoothed_loss"
def label_smoothed_nll_loss(lprobs, target, epsilon, ignore_index):
    if target.dim() == lprobs.dim() - 1:
        target = target.unsqueeze(-1)
    nll_loss = -lprobs.gather(dim=-1, index=target)
    smooth_loss = -lprobs.sum(dim=-1, keepdim=True)
    pad_mask = target.eq(ignore_index)
    nll_loss = nll_loss.masked_fill(pad_mask, 0.0)
    smooth_loss = smooth_loss.masked_fill(pad_mask, 0.0)
    ntokens = nll_loss.ne(0).sum()
    nll_loss, smooth_loss = nll_loss.sum(), smooth_loss.sum()
    eps_i = epsilon / (lprobs.size(-1) - 1)
    loss = (1.0 - epsilon - eps_i) * nll_loss + eps_i * smooth_loss
    return loss / ntokens


def smoothed_loss(logits, target, pad_id=0, smoothing=0.1):
    lprobs = torch.nn.functional.log_softmax(logits, dim=-1)
    return label_smoothed_nll_loss(lprobs, target, epsilon=smoothing, ignore_index=pad_id)

# %% solution="warmup_rate"
def warmup_rate(step, d_model, warmup_steps):
    # inverse_square_root_schedule.py
    peak = (d_model * warmup_steps) ** -0.5
    lr_step = peak / warmup_steps
    decay_factor = peak * warmup_steps**0.5
    if step <= warmup_steps:
        return step * lr_step
    num_updates = step + 1
    return decay_factor * num_updates**-0.5

# %% solution="train"
def train(model, training, validation, n_epochs=24, batch_size=64, warmup_steps=200, scale=0.4):
    src_tokens = to_ids([spanish for spanish, _ in training], SPANISH)
    tgt_tokens = to_ids([english for _, english in training], ENGLISH)
    optimizer = torch.optim.Adam(model.parameters())
    n_batches = (len(training) + batch_size - 1) // batch_size
    progress = Progress(n_epochs * n_batches)
    num_updates, history, match = 0, [], 0.0
    for _epoch in range(n_epochs):
        total = 0.0
        model.train()
        for sample in torch.randperm(len(training)).split(batch_size):
            num_updates += 1
            lr = scale * warmup_rate(num_updates, SIZES["d_model"], warmup_steps)
            for group in optimizer.param_groups:
                group["lr"] = lr
            target = tgt_tokens[sample]
            net_output = model(src_tokens[sample], target[:, :-1])
            loss = smoothed_loss(net_output, target[:, 1:], PAD)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            total += loss.item()
            progress.show(num_updates, loss=loss.item(), exact_match=match)
        model.eval()
        match = exact_match(model, validation)
        history.append((total / n_batches, match))
        if match >= ENOUGH:
            break
    progress.show(progress.total, loss=history[-1][0], exact_match=match)
    return history

# Another training loop: slices of a shuffled list, another optimizer object for the rate.

# %% solution="train"
def train(model, training, validation, n_epochs=24, batch_size=64, warmup_steps=200, scale=0.4):
    pairs, rates = list(training), []
    optimizer = torch.optim.Adam(model.parameters(), lr=1.0)
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimizer, lambda done: scale * warmup_rate(done + 1, SIZES["d_model"], warmup_steps)
    )
    for _ in range(n_epochs):
        order = torch.randperm(len(pairs)).tolist()
        losses = []
        for start in range(0, len(order), batch_size):
            spanish, english = zip(*(pairs[each] for each in order[start : start + batch_size]))
            target = to_ids(english, ENGLISH)
            loss = smoothed_loss(model.train()(to_ids(spanish, SPANISH), target[:, :-1]), target[:, 1:])
            model.zero_grad()
            loss.backward()
            optimizer.step()
            schedule.step()
            losses.append(float(loss))
        rates.append((sum(losses) / len(losses), exact_match(model.eval(), validation)))
        if rates[-1][1] >= ENOUGH:
            return rates
    return rates

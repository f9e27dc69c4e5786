# Counts what is not 0 as words, and as many places at the front as there are words.
# fails: loss_padding, loss_gradients, loss_tensors
# lines: lengths = (target != pad_id).sum(dim=1, keepdim=True)
# lines: is_padding = positions[None, :] >= lengths
# lines: n_real_tokens = torch.count_nonzero(target)
# lines: mean_loss = loss_of_token.sum() / n_real_tokens
# lines: n_batches = n_pairs // batch_size
# lines: batches = shuffled[: n_batches * batch_size].reshape(n_batches, batch_size)
# lines: learning_rate = scale * warmup_rate(step, batch_size, warmup_steps)
# %% solution="smoothed_loss"
import numpy as np


def smoothed_loss(logits, target, pad_id=0, smoothing=0.1):
    vocab_size = logits.shape[-1]

    # logarithms of the probabilities
    log_probs = torch.log_softmax(logits, dim=-1)

    # one number for each token: the part of the right word, and the part of all words
    right_word = target[:, :, None]
    log_prob_of_right_word = torch.gather(log_probs, 2, right_word)[:, :, 0]
    sum_of_log_probs = log_probs.sum(dim=2)
    part_right = (1 - smoothing) * log_prob_of_right_word
    part_all = smoothing / vocab_size * sum_of_log_probs
    loss_of_token = -part_right - part_all

    # no loss where there is padding, that is behind the last token of each sentence
    lengths = (target != pad_id).sum(dim=1, keepdim=True)
    positions = torch.arange(target.shape[1], device=target.device)
    is_padding = positions[None, :] >= lengths
    loss_of_token = torch.where(is_padding, torch.zeros_like(loss_of_token), loss_of_token)

    n_real_tokens = torch.count_nonzero(target)
    mean_loss = loss_of_token.sum() / n_real_tokens
    return mean_loss

# %% solution="warmup_rate"
def warmup_rate(step, d_model, warmup_steps):
    size_factor = 1 / np.sqrt(d_model)
    falling = 1 / np.sqrt(step)
    rising = step / (warmup_steps * np.sqrt(warmup_steps))
    rate = size_factor * np.minimum(falling, rising)
    return float(rate)

# %% solution="train"
def train(model, training, validation, n_epochs=24, batch_size=64, warmup_steps=200, scale=0.4):
    # everything to ids, once
    spanish_sentences = [pair[0] for pair in training]
    english_sentences = [pair[1] for pair in training]
    all_sources = to_ids(spanish_sentences, SPANISH)
    all_targets = to_ids(english_sentences, ENGLISH)
    n_pairs = len(training)
    n_batches = n_pairs // batch_size

    optimizer = torch.optim.Adam(model.parameters())
    progress = Progress(n_epochs * n_batches)
    history = []
    step = 0
    latest_match = 0.0

    for epoch in range(n_epochs):
        model.train()
        losses_of_epoch = []

        # a row of indices for each batch
        shuffled = torch.randperm(n_pairs)
        batches = shuffled[: n_batches * batch_size].reshape(n_batches, batch_size)

        for indices in batches:
            step = step + 1

            source = all_sources[indices]
            target = all_targets[indices]
            decoder_input = target[:, :-1]
            to_predict = target[:, 1:]

            learning_rate = scale * warmup_rate(step, batch_size, warmup_steps)
            for param_group in optimizer.param_groups:
                param_group["lr"] = learning_rate

            optimizer.zero_grad()
            logits = model(source, decoder_input)
            loss = smoothed_loss(logits, to_predict, pad_id=PAD)
            loss.backward()
            optimizer.step()

            loss_as_number = loss.item()
            losses_of_epoch.append(loss_as_number)
            progress.show(step, loss=loss_as_number, exact_match=latest_match)

        model.eval()
        latest_match = exact_match(model, validation)
        mean_loss = float(np.mean(losses_of_epoch))
        history.append((mean_loss, latest_match))
        if latest_match >= ENOUGH:
            break

    return history

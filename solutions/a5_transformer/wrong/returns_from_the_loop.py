# A return in the loop leaves eval mode on, and a pad is never chosen.
# fails: greedy_words, greedy_care
# %% solution="greedy_decode"
def _process_logits(next_token_logits, pad_id):
    scores = next_token_logits.clone()
    scores[:, pad_id] = -float("inf")
    return scores


@torch.no_grad()
def greedy_decode(model, source, start_id, end_id, max_len):
    was_training = model.training
    model.eval()

    encoder_outputs = model.encode(source)
    input_ids = torch.full((source.shape[0], 1), start_id, dtype=torch.long, device=source.device)
    unfinished_sequences = torch.ones(source.shape[0], dtype=torch.long, device=source.device)

    while input_ids.shape[-1] < max_len:
        hidden_states = model.decode(input_ids, encoder_outputs, source)
        next_token_logits = model.output(hidden_states[:, -1, :])
        next_tokens = torch.argmax(_process_logits(next_token_logits, model.pad_id), dim=-1)

        # finished sentences should have their next token be a padding token
        next_tokens = next_tokens * unfinished_sequences + model.pad_id * (1 - unfinished_sequences)
        input_ids = torch.cat([input_ids, next_tokens[:, None]], dim=-1)
        unfinished_sequences = unfinished_sequences.mul((next_tokens != end_id).long())

        # stop when each sentence is finished
        if unfinished_sequences.max() == 0:
            return input_ids

    model.train(was_training)
    return input_ids

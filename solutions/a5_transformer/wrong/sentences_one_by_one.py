# Sentences are decoded one by one, with all their padding cut out.
# fails: greedy_words, greedy_care
# lines: sentence = sentence[sentence != model.pad_id]
# lines: memory = model.encode(sentence)
# %% solution="greedy_decode"
def greedy_decode(model, source, start_id, end_id, max_len):
    # remember the mode
    was_training = model.training
    model.eval()

    all_sentences = []
    for i in range(source.shape[0]):
        # one sentence at a time, without its padding
        sentence = source[i]
        sentence = sentence[sentence != model.pad_id]
        sentence = sentence.unsqueeze(0)

        with torch.no_grad():
            memory = model.encode(sentence)
            written = [start_id]
            while len(written) < max_len:
                target = torch.tensor([written], device=source.device)
                decoded = model.decode(target, memory, sentence)
                logits = model.output(decoded)
                last = logits[0, -1]
                best_word = int(torch.argmax(last))
                written.append(best_word)
                if best_word == end_id:
                    break
        all_sentences.append(written)

    # fill up with padding
    longest = max(len(s) for s in all_sentences)
    result = torch.full((len(all_sentences), longest), model.pad_id, dtype=torch.long, device=source.device)
    for i in range(len(all_sentences)):
        for j in range(len(all_sentences[i])):
            result[i, j] = all_sentences[i][j]

    if was_training:
        model.train()
    return result

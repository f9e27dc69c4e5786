# Eval mode is left on, gradients are kept, and the start does not count.
# fails: greedy_words, greedy_end, greedy_care
# lines: model.eval()
# lines: encoder_output = model.encode(source)
# lines: for i in range(max_len):
# %% solution="greedy_decode"
def greedy_decode(model, source, start_id, end_id, max_len):
    # put the model into evaluation mode
    model.eval()

    # the encoder output is computed only once
    encoder_output = model.encode(source)

    # start every sentence with the start token
    decoder_input = torch.empty(source.size(0), 1, dtype=source.dtype, device=source.device).fill_(start_id)
    ended = torch.zeros(source.size(0), 1, dtype=torch.bool, device=source.device)

    for i in range(max_len):
        # stop as soon as everybody is done
        if ended.all():
            break

        # calculate output
        out = model.decode(decoder_input, encoder_output, source)

        # get the next token
        prob = model.output(out[:, -1:])
        _, next_word = torch.max(prob, dim=-1)
        next_word = next_word.masked_fill(ended, model.pad_id)
        ended = ended | next_word.eq(end_id)
        decoder_input = torch.cat([decoder_input, next_word], dim=1)

    return decoder_input

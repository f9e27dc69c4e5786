# The start counts as a word that was written.
# fails: greedy_end
# lines: finished = tokens.eq(end_id).any(dim=1)
# %% solution="greedy_decode"
def greedy_decode(model, source, start_id, end_id, max_len):
    bsz = source.size(0)
    training = model.training
    try:
        model.eval()
        with torch.no_grad():
            encoder_out = model.encode(source)
            tokens = source.new_full((bsz, 1), start_id)
            for step in range(max_len - 1):
                finished = tokens.eq(end_id).any(dim=1)
                if finished.all():
                    break
                decoder_out = model.decode(tokens, encoder_out, source)
                logits = model.output(decoder_out)[:, -1, :]
                next_token = logits.argmax(dim=-1).masked_fill(finished, model.pad_id)
                tokens = torch.cat([tokens, next_token.unsqueeze(-1)], dim=-1)
            return tokens
    finally:
        model.train(training)

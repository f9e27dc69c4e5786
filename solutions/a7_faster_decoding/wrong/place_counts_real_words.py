# The place of a word is counted without pads, and a message lacks the number of tokens.
# fails: step_masks, step_sizes
# %% solution="decoder_step"
def decoder_step(model, target, source, keys, values, memory_keys, memory_values):
    seq_length = target.shape[1]
    past_length = keys.shape[3]
    max_positions = model.decoder.positional_encoding.encoding.shape[0]
    if past_length != seq_length - 1:
        raise ValueError(
            f"past_key_values should have {seq_length - 1} positions, but have {past_length}"
        )
    if seq_length > max_positions:
        raise ValueError(f"input has {seq_length} tokens, max_position_embeddings={max_positions}")

    attention_mask = target.ne(model.pad_id)
    position_ids = attention_mask.long().cumsum(-1)[:, -1:] - 1
    inputs_embeds = model.decoder.token_embedding(target[:, -1:])
    hidden_states = inputs_embeds + model.decoder.positional_encoding.encoding[position_ids]

    target_mask = attention_mask[:, None, None, :]
    memory_mask = source.ne(model.pad_id)[:, None, None, :]
    next_keys, next_values = (), ()
    for idx, decoder_layer in enumerate(model.decoder.layers):
        hidden_states, k, v = layer_step(
            decoder_layer,
            hidden_states,
            keys[idx],
            values[idx],
            memory_keys[idx],
            memory_values[idx],
            target_mask=target_mask,
            memory_mask=memory_mask,
        )
        next_keys += (k,)
        next_values += (v,)
    return hidden_states, torch.stack(next_keys), torch.stack(next_values)

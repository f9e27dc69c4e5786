# Places are counted without pads, and -10000 is added to what is blocked.
# fails: attend_mask, step_masks, step_sizes
# %% solution="keys_and_values"
def split_heads(tensor: torch.Tensor, num_heads: int) -> torch.Tensor:
    """(batch, seq_length, hidden) -> (batch, num_heads, seq_length, head_dim)"""
    batch_size, seq_length, hidden_size = tensor.shape
    head_dim = hidden_size // num_heads
    tensor = tensor.view(batch_size, seq_length, num_heads, head_dim)
    return tensor.permute(0, 2, 1, 3)


def keys_and_values(attention, x):
    key_layer = split_heads(attention.k_proj(x), attention.n_heads)
    value_layer = split_heads(attention.v_proj(x), attention.n_heads)
    return key_layer, value_layer
# %% solution="attend"
def merge_heads(tensor: torch.Tensor) -> torch.Tensor:
    """(batch, num_heads, seq_length, head_dim) -> (batch, seq_length, hidden)"""
    tensor = tensor.permute(0, 2, 1, 3).contiguous()
    return tensor.view(*tensor.shape[:-2], -1)


def attend(attention, x, keys, values, mask=None):
    query_layer = split_heads(attention.q_proj(x), attention.n_heads)

    # Take the dot product between "query" and "key" to get the raw attention scores.
    attention_scores = torch.matmul(query_layer, keys.transpose(-1, -2))
    attention_scores = attention_scores / math.sqrt(query_layer.size(-1))

    if mask is not None:
        extended_mask = (1.0 - mask.to(attention_scores.dtype)) * -10000.0
        attention_scores = attention_scores + extended_mask

    # Normalize the attention scores to probabilities.
    attention_probs = torch.softmax(attention_scores, dim=-1)
    context_layer = torch.matmul(attention_probs, values)
    return attention.out_proj(merge_heads(context_layer))
# %% solution="layer_step"
def layer_step(
    layer, x, keys, values, memory_keys, memory_values, target_mask=None, memory_mask=None
):
    hidden_states = x

    # self-attention, with past_key_value
    residual = hidden_states
    new_key, new_value = keys_and_values(layer.self_attn, hidden_states)
    present_key = torch.cat([keys, new_key], dim=2)
    present_value = torch.cat([values, new_value], dim=2)
    hidden_states = attend(layer.self_attn, hidden_states, present_key, present_value, target_mask)
    hidden_states = layer.norm1(residual + hidden_states)

    # cross-attention
    residual = hidden_states
    hidden_states = attend(
        layer.cross_attn, hidden_states, memory_keys, memory_values, memory_mask
    )
    hidden_states = layer.norm2(residual + hidden_states)

    # fully connected
    residual = hidden_states
    hidden_states = layer.feed_forward(hidden_states)
    hidden_states = layer.norm3(residual + hidden_states)

    return hidden_states, present_key, present_value
# %% solution="start_cache"
def start_cache(model, source):
    encoder_hidden_states = model.encode(source)
    cross_keys, cross_values = [], []
    for layer_module in model.decoder.layers:
        k, v = keys_and_values(layer_module.cross_attn, encoder_hidden_states)
        cross_keys.append(k)
        cross_values.append(v)
    cross_keys = torch.stack(cross_keys, dim=0)
    cross_values = torch.stack(cross_values, dim=0)

    num_layers, batch_size, num_heads, _, head_dim = cross_keys.shape
    past_keys = encoder_hidden_states.new_zeros(num_layers, batch_size, num_heads, 0, head_dim)
    past_values = encoder_hidden_states.new_zeros(num_layers, batch_size, num_heads, 0, head_dim)
    return past_keys, past_values, cross_keys, cross_values
# %% solution="decoder_step"
def decoder_step(model, target, source, keys, values, memory_keys, memory_values):
    seq_length = target.shape[1]
    past_length = keys.shape[3]
    max_positions = model.decoder.positional_encoding.encoding.shape[0]

    if past_length != seq_length - 1:
        raise ValueError(
            f"Got {seq_length} tokens but {past_length} cached positions, "
            f"expected one position less than tokens."
        )
    if seq_length > max_positions:
        raise ValueError(
            f"Sequence of {seq_length} tokens is longer than max_len = {max_positions}."
        )

    attention_mask = padding_mask(target, model.pad_id)
    encoder_attention_mask = model.source_mask(source)

    # only the last token has to be embedded when past_key_values are used
    input_ids = target[:, -1:]
    inputs_embeds = model.decoder.token_embedding(input_ids)
    position_ids = attention_mask[:, 0, 0, :].long().cumsum(-1) - 1
    position_ids = position_ids[:, -1:]
    position_embeds = model.decoder.positional_encoding.encoding[position_ids]
    hidden_states = inputs_embeds + position_embeds

    next_keys = ()
    next_values = ()
    for idx, decoder_layer in enumerate(model.decoder.layers):
        hidden_states, layer_keys, layer_values = layer_step(
            decoder_layer,
            hidden_states,
            keys[idx],
            values[idx],
            memory_keys[idx],
            memory_values[idx],
            target_mask=attention_mask,
            memory_mask=encoder_attention_mask,
        )
        next_keys += (layer_keys,)
        next_values += (layer_values,)

    return hidden_states, torch.stack(next_keys), torch.stack(next_values)
# %% solution="greedy_decode_cached"
@torch.no_grad()
def greedy_decode_cached(model, source, start_id, end_id, max_len):
    training_modes = [(module, module.training) for module in model.modules()]
    model.eval()
    try:
        batch_size = source.shape[0]
        input_ids = torch.full((batch_size, 1), start_id, dtype=torch.long, device=source.device)
        unfinished_sequences = torch.ones(batch_size, dtype=torch.long, device=source.device)
        keys, values, cross_keys, cross_values = start_cache(model, source)

        while input_ids.shape[1] < max_len:
            hidden_states, keys, values = decoder_step(
                model, input_ids, source, keys, values, cross_keys, cross_values
            )
            next_token_logits = model.output(hidden_states[:, -1, :])
            next_tokens = torch.argmax(next_token_logits, dim=-1)

            # finished sentences should have their next token be a padding token
            next_tokens = next_tokens * unfinished_sequences + model.pad_id * (
                1 - unfinished_sequences
            )
            input_ids = torch.cat([input_ids, next_tokens[:, None]], dim=-1)

            unfinished_sequences = unfinished_sequences.mul((next_tokens != end_id).long())
            if unfinished_sequences.max() == 0:
                break
        return input_ids
    finally:
        for module, mode in training_modes:
            module.training = mode

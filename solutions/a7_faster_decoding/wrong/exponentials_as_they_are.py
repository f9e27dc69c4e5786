# Exponentials that overflow, norms exchanged, memory made anew, and a pad that ends a row.
# fails: attend_mask, layer_output, layer_masks, step_output, step_sizes, cached_words, cached_work
# lines: e = torch.exp(logits)
# lines: attention_weights = e / torch.sum(e, dim=-1, keepdim=True)
# lines: out2 = layer.norm3(attn2 + out1)
# lines: out3 = layer.norm2(ffn + out2)
# lines: if seq_len >= max_len:
# lines: _, _, memory_keys, memory_values = start_cache(model, source)
# lines: finished = (predicted == end_id) | (predicted == model.pad_id)
# %% solution="keys_and_values"
def keys_and_values(attention, x):
    batch, t, d_model = x.size()
    depth = d_model // attention.n_heads
    outputs = []
    for dense in (attention.k_proj, attention.v_proj):
        y = torch.reshape(dense(x), (batch, t, attention.n_heads, depth))
        outputs.append(torch.permute(y, (0, 2, 1, 3)))
    return tuple(outputs)

# %% solution="attend"
def attend(attention, x, keys, values, mask=None):
    batch, t, d_model = x.size()
    depth = d_model // attention.n_heads
    q = torch.reshape(attention.q_proj(x), (batch, t, attention.n_heads, depth))
    q = torch.permute(q, (0, 2, 1, 3))
    logits = torch.matmul(q, torch.permute(keys, (0, 1, 3, 2))) / depth**0.5
    if mask is not None:
        logits = torch.where(mask, logits, float("-inf"))
    e = torch.exp(logits)
    attention_weights = e / torch.sum(e, dim=-1, keepdim=True)
    y = torch.permute(torch.matmul(attention_weights, values), (0, 2, 1, 3))
    return attention.out_proj(torch.reshape(y, (batch, t, d_model)))

# %% solution="layer_step"
def layer_step(
    layer, x, keys, values, memory_keys, memory_values, target_mask=None, memory_mask=None
):
    k, v = keys_and_values(layer.self_attn, x)
    keys = torch.concat([keys, k], dim=2)
    values = torch.concat([values, v], dim=2)
    attn1 = attend(layer.self_attn, x, keys, values, target_mask)
    out1 = layer.norm1(attn1 + x)
    attn2 = attend(layer.cross_attn, out1, memory_keys, memory_values, memory_mask)
    out2 = layer.norm3(attn2 + out1)
    ffn = layer.feed_forward(out2)
    out3 = layer.norm2(ffn + out2)
    return out3, keys, values

# %% solution="start_cache"
def start_cache(model, source):
    enc_output = model.encode(source)
    batch, t_source, d_model = enc_output.size()
    n_layers = len(model.decoder.layers)
    n_heads = model.decoder.layers[0].cross_attn.n_heads
    depth = d_model // n_heads
    memory_keys = enc_output.new_zeros(n_layers, batch, n_heads, t_source, depth)
    memory_values = enc_output.new_zeros(n_layers, batch, n_heads, t_source, depth)
    for i in range(n_layers):
        memory_keys[i], memory_values[i] = keys_and_values(
            model.decoder.layers[i].cross_attn, enc_output
        )
    keys = enc_output.new_zeros(n_layers, batch, n_heads, 0, depth)
    values = enc_output.new_zeros(n_layers, batch, n_heads, 0, depth)
    return keys, values, memory_keys, memory_values

# %% solution="decoder_step"
def decoder_step(model, target, source, keys, values, memory_keys, memory_values):
    seq_len = target.size(1)
    cache_len = keys.size(3)
    if cache_len != seq_len - 1:
        raise ValueError(f"cache length {cache_len} does not match {seq_len} tokens")
    pos_encoding = model.decoder.positional_encoding.encoding
    max_len = pos_encoding.size(0)
    if seq_len >= max_len:
        raise ValueError(f"{seq_len} tokens exceed the maximum of {max_len}")
    x = model.decoder.token_embedding(target[:, seq_len - 1 : seq_len])
    x = x + pos_encoding[None, seq_len - 1 : seq_len, :]
    target_mask = torch.ne(target, model.pad_id)[:, None, None, :]
    memory_mask = torch.ne(source, model.pad_id)[:, None, None, :]
    new_keys = []
    new_values = []
    for i in range(len(model.decoder.layers)):
        x, k, v = layer_step(
            model.decoder.layers[i],
            x,
            keys[i],
            values[i],
            memory_keys[i],
            memory_values[i],
            target_mask=target_mask,
            memory_mask=memory_mask,
        )
        new_keys.append(k)
        new_values.append(v)
    return x, torch.stack(new_keys, dim=0), torch.stack(new_values, dim=0)

# %% solution="greedy_decode_cached"
def greedy_decode_cached(model, source, start_id, end_id, max_len):
    training = model.training
    model.eval()
    try:
        with torch.no_grad():
            batch = source.size(0)
            keys, values, memory_keys, memory_values = start_cache(model, source)
            output = torch.full((batch, 1), start_id, dtype=torch.int64, device=source.device)
            finished = torch.zeros((batch, 1), dtype=torch.bool, device=source.device)
            for step in range(1, max_len):
                _, _, memory_keys, memory_values = start_cache(model, source)
                x, keys, values = decoder_step(
                    model, output, source, keys, values, memory_keys, memory_values
                )
                predicted = torch.argmax(model.output(x), dim=-1)
                predicted = torch.where(finished, model.pad_id, predicted)
                output = torch.concat([output, predicted], dim=1)
                finished = (predicted == end_id) | (predicted == model.pad_id)
                if torch.all(finished):
                    break
    finally:
        model.train(training)
    return output

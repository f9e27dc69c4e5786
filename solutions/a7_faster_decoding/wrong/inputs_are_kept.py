# What goes into each layer is kept, and keys and values are made of all of it in each step.
# fails: cached_work
# %% solution="greedy_decode_cached"
def greedy_decode_cached(model, source, start_id, end_id, max_len):
    was_training = model.training
    model.eval()
    with torch.no_grad():
        *_, memory_keys, memory_values = start_cache(model, source)
        inputs = [None] * len(model.decoder.layers)
        target = torch.full_like(source[:, :1], start_id)
        ended = torch.zeros_like(target, dtype=torch.bool)
        while target.shape[1] < max_len and not ended.all():
            place = model.decoder.positional_encoding.encoding[target.shape[1] - 1]
            x = model.decoder.token_embedding(target[:, -1:]) + place
            for i, layer in enumerate(model.decoder.layers):
                inputs[i] = x if inputs[i] is None else torch.cat([inputs[i], x], dim=1)
                k, v = keys_and_values(layer.self_attn, inputs[i])
                mask = padding_mask(target, model.pad_id)
                x = layer.norm1(x + attend(layer.self_attn, x, k, v, mask))
                mask = model.source_mask(source)
                read = attend(layer.cross_attn, x, memory_keys[i], memory_values[i], mask)
                x = layer.norm2(x + read)
                x = layer.norm3(x + layer.feed_forward(x))
            word = model.output(x).argmax(dim=-1).masked_fill(ended, model.pad_id)
            target = torch.cat([target, word], dim=1)
            ended = ended | (word == end_id)
    model.train(was_training)
    return target

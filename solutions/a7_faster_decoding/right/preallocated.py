# The cache is allotted in full, written to in place, and attended to under a mask.
# %% solution="greedy_decode_cached"
def greedy_decode_cached(model, source, start_id, end_id, max_len):
    before = model.training
    model.eval()
    try:
        with torch.inference_mode():
            *_, memory_keys, memory_values = start_cache(model, source)
            n_layers, batch, n_heads, _, d_k = memory_keys.shape
            keys = memory_keys.new_zeros(n_layers, batch, n_heads, max_len, d_k)
            values = torch.zeros_like(keys)
            page = source.new_full((batch, max_len), model.pad_id)
            page[:, 0] = start_id
            active = torch.ones(batch, dtype=torch.bool, device=source.device)
            table = model.decoder.positional_encoding.encoding
            memory_mask = model.source_mask(source)
            for t in range(1, max_len):
                if not active.any():
                    return page[:, :t].clone()
                x = model.decoder.token_embedding(page[:, t - 1 : t]) + table[t - 1]
                written = torch.arange(max_len, device=source.device) < t
                mask = padding_mask(page, model.pad_id) & written
                for i, layer in enumerate(model.decoder.layers):
                    new = keys_and_values(layer.self_attn, x)
                    keys[i, :, :, t - 1 : t], values[i, :, :, t - 1 : t] = new
                    x = layer.norm1(x + attend(layer.self_attn, x, keys[i], values[i], mask))
                    read = attend(layer.cross_attn, x, memory_keys[i], memory_values[i], memory_mask)
                    x = layer.norm2(x + read)
                    x = layer.norm3(x + layer.feed_forward(x))
                word = model.output(x[:, 0]).argmax(-1)
                page[:, t] = torch.where(active, word, model.pad_id)
                active &= word != end_id
            return page.clone()
    finally:
        model.train(before)

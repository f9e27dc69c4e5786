# No pad_id for the target, no limit of its length, and no look at the cache of one token.
# fails: step_masks, step_sizes
# %%
class CacheSizeError(ValueError):
    def __init__(self, tokens, positions):
        super().__init__(f"cache holds {positions} positions, but target has {tokens} tokens")


def place(table, t):
    """Row of the last of t positions, (1, d_model)."""
    return table[t - 1 : t]


# %% solution="decoder_step"
def decoder_step(model, target, source, keys, values, memory_keys, memory_values):
    tokens, positions = target.size(1), keys.size(-2)
    if tokens > 1 and positions + 1 != tokens:
        raise CacheSizeError(tokens, positions)
    dec = model.decoder
    x = dec.token_embedding(target[:, -1].unsqueeze(1))
    x = x + place(dec.positional_encoding.encoding, tokens).to(x.dtype)
    masks = padding_mask(target), padding_mask(source, model.pad_id)
    kept = []
    for layer, *cache in zip(dec.layers, keys, values, memory_keys, memory_values):
        x, *new = layer_step(layer, x, *cache, *masks)
        kept.append(new)
    new_keys, new_values = (torch.stack(each) for each in zip(*kept))
    return x, new_keys, new_values

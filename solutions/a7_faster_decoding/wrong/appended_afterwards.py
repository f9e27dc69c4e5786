# Attends before the new position is kept, and the self-attention asks the memory.
# fails: layer_output, layer_masks, layer_cache
# %% solution="layer_step"
def layer_step(
    layer, x, keys, values, memory_keys, memory_values, target_mask=None, memory_mask=None
):
    # 1. listen to what was written before
    heard = attend(layer.self_attn, x, keys, values, target_mask)
    # 2. remember the new position
    k, v = keys_and_values(layer.self_attn, x)
    keys = torch.cat([keys, k], dim=2)
    values = torch.cat([values, v], dim=2)
    x = layer.norm1(x + heard)
    # 3. listen to the source
    x = layer.norm2(x + attend(layer.self_attn, x, memory_keys, memory_values, memory_mask))
    x = layer.norm3(x + layer.feed_forward(x))
    return x, keys, values

# The new key and value are appended after the attention.
# fails: layer_output, layer_masks
# %% solution="layer_step"
def layer_step(
    layer, x, keys, values, memory_keys, memory_values, target_mask=None, memory_mask=None
):
    k, v = keys_and_values(layer.self_attn, x)
    if target_mask is not None:
        target_mask = target_mask[..., :-1]
    y = attend(layer.self_attn, x, keys, values, target_mask)
    x = layer.norm1(x + y)
    x = layer.norm2(x + attend(layer.cross_attn, x, memory_keys, memory_values, memory_mask))
    x = layer.norm3(x + layer.feed_forward(x))
    return x, torch.cat([keys, k], 2), torch.cat([values, v], 2)

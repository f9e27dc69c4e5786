# The cross-attention gets no mask.
# fails: layer_masks
# lines: c = attend(layer.cross_attn, h, memory_keys, memory_values)
# %% solution="layer_step"
def layer_step(
    layer, x, keys, values, memory_keys, memory_values, target_mask=None, memory_mask=None
):
    new_k, new_v = keys_and_values(layer.self_attn, x)
    k, v = torch.cat((keys, new_k), dim=2), torch.cat((values, new_v), dim=2)
    a = attend(layer.self_attn, x, k, v, target_mask)
    h = layer.norm1(x + a)
    c = attend(layer.cross_attn, h, memory_keys, memory_values)
    h = layer.norm2(h + c)
    return layer.norm3(h + layer.feed_forward(h)), k, v

# Torch's own attention is called in inference mode, where operations reach a counter whole.
# fails: layer_*, cached_*, attend_output, attend_mask, step_output, step_masks, step_sizes
# %% solution="attend"
def attend(attention, x, keys, values, mask=None):
    with torch.inference_mode():
        queries = attention.q_proj(x).unflatten(-1, (attention.n_heads, -1)).transpose(1, 2)
        found = torch.ops.aten.scaled_dot_product_attention(queries, keys, values, mask)
        return attention.out_proj(found.transpose(1, 2).flatten(2))

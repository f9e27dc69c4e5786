# The attention runs the softmax over all keys, zeroes the blocked weights afterwards and divides by what is left, which loses everything when a blocked score is huge and leaves crumbs of gradient at blocked keys.
# fails: attention_mask, attention_blocked_rows, attention_gradients
# lines: weights = torch.softmax(scores, dim=-1)
# %% solution="attention"
def scaled_dot_product_attention(q, k, v, mask=None):
    dim = q.shape[-1]
    scores = torch.einsum("...qd,...kd->...qk", q, k) / dim**0.5
    weights = torch.softmax(scores, dim=-1)
    if mask is not None:
        weights = weights.masked_fill(~mask, 0.0)
        # the rest of the row has to sum to 1 again, and an empty row stays empty
        total = weights.sum(dim=-1, keepdim=True)
        weights = weights / total.masked_fill(total == 0, 1.0)
    output = torch.einsum("...qk,...kd->...qd", weights, v)
    return output, weights

# %% solution="causal_mask"
def causal_mask(size, device=None):
    position = torch.arange(size, device=device)
    return position.unsqueeze(0) <= position.unsqueeze(1)

# The softmax runs over axis 1, a tenth of it is dropped, and blocked rows are NaN.
# fails: attention_output, attention_weights, attention_scale, attention_mask, attention_blocked_rows, attention_gradients, attention_tensors
# %% solution="attention"
def scaled_dot_product_attention(q, k, v, mask=None):
    scores = torch.einsum("...id,...jd->...ij", q, k) / q.shape[-1] ** 0.5
    if mask is not None:
        scores[~mask.expand_as(scores)] = float("-inf")
    weights = torch.dropout(torch.softmax(scores, dim=1), 0.1, True)
    return weights @ v, weights

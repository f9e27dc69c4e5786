# The mask is multiplied onto the finished softmax, whose rows no longer sum to 1.
# fails: attention_mask, attention_blocked_rows, attention_gradients, attention_tensors
# lines: weights = weights * mask
# %% solution="attention"
def scaled_dot_product_attention(q, k, v, mask=None):
    dim = q.shape[-1]
    similarity = q @ k.mT
    similarity = similarity * dim ** -0.5
    weights = torch.softmax(similarity, dim=-1)
    # whoever is masked gets nothing
    if mask is not None:
        weights = weights * mask
    output = weights @ v
    return output, weights

# Rows of a mask are viewed as a table, which needs contiguous memory.
# fails: attention_tensors
# %% solution="attention"
def scaled_dot_product_attention(q, k, v, mask=None):
    """Scaled dot-product attention (Vaswani et al. 2017, equation 1)."""
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    if mask is None:
        weights = scores.softmax(-1)
        return weights @ v, weights
    # one row for each query: has it anybody to listen to?
    rows = mask.view(-1, mask.shape[-1])
    heard = rows.any(dim=1).view(*mask.shape[:-1], 1)
    # a query without a key is opened to all of them first, and emptied afterwards
    scores = scores.masked_fill(~(mask | ~heard), float("-inf"))
    weights = scores.softmax(-1).masked_fill(~heard, 0.0)
    return weights @ v, weights

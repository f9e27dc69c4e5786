# A single key is heard though it is blocked, and one maximum is taken for all rows.
# fails: attention_weights, attention_blocked_rows, padding_mask
# lines: if n_keys == 1:  # nobody else to share with
# lines: powers = torch.exp(scores - scores.max().detach())
# lines: return difference.byte().bool()[:, None, None, :]
# %% solution="attention"
def scaled_dot_product_attention(q, k, v, mask=None):
    n_keys, d_k = k.shape[-2:]
    scores = q @ k.mT / math.sqrt(d_k)
    if n_keys == 1:  # nobody else to share with
        weights = torch.ones_like(scores)
        return weights @ v, weights
    if mask is None:
        mask = torch.ones_like(scores, dtype=torch.bool)
    nobody = ~mask.any(dim=-1, keepdim=True)
    scores = scores.masked_fill(~(mask | nobody), -torch.inf)
    powers = torch.exp(scores - scores.max().detach())
    weights = (powers / powers.sum(-1, keepdim=True)).masked_fill(nobody, 0.0)
    return weights @ v, weights


# %% solution="padding_mask"
def padding_mask(tokens, pad_id=0):
    difference = tokens - pad_id
    return difference.byte().bool()[:, None, None, :]

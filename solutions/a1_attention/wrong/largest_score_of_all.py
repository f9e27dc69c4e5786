# The root, whose largest score is taken away, and the device of a mask that is kept: all wrong.
# fails: hand_example, attention_weights, attention_mask, causal_mask
# lines: hand_weights = torch.tensor([[1.0, 9.0, 36.0], [4.0, 1.0, 1.0]])
# lines: shifted = scores - scores.max().detach()
# lines: if size not in _already_made:
# %% solution="hand_example"
# query 0: 1, 9, 36   query 1: 4, 1, 1
hand_weights = torch.tensor([[1.0, 9.0, 36.0], [4.0, 1.0, 1.0]])
hand_weights = hand_weights / hand_weights.sum(dim=1, keepdim=True)
hand_output = torch.tensor([[1.65, 2.35], [3.0, 1.0]])

# %% solution="attention"
def my_softmax(scores, mask):
    # take away the largest so that exp does not overflow
    shifted = scores - scores.max().detach()
    e = shifted.exp()
    if mask is not None:
        e = e.masked_fill(~mask, 0.0)
    total = e.sum(dim=-1, keepdim=True)
    # 0 / 0 for a query without keys
    total = total.masked_fill(total == 0, 1.0)
    return e / total


def scaled_dot_product_attention(q, k, v, mask=None):
    scores = q @ k.transpose(-2, -1)
    scores = scores / q.shape[-1] ** 0.5
    weights = my_softmax(scores, mask)
    return weights @ v, weights

# %% solution="padding_mask"
def padding_mask(tokens, pad_id=0):
    batch, t = tokens.shape
    return (tokens != pad_id).reshape(batch, 1, 1, t)

# %% solution="causal_mask"
_already_made = {}


def causal_mask(size, device=None):
    # the same sizes come again and again
    if size not in _already_made:
        ones = torch.ones(size, size, dtype=torch.bool, device=device)
        _already_made[size] = torch.tril(ones)
    return _already_made[size]

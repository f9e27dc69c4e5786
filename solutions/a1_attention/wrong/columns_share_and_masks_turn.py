# The weights by hand share out columns, a mask is turned in place, and an empty row has a word.
# fails: hand_example, attention_blocked_rows, attention_gradients, attention_tensors, padding_mask, causal_mask
# lines: hand_weights = exponentials / exponentials.sum(dim=0, keepdim=True)
# lines: blocked = mask.logical_not_()
# lines: output = torch.matmul(weights.detach(), v)
# lines: empty = real.logical_not().all(dim=1)
# lines: real[:, 0] |= empty
# lines: return torch.ge(steps.unsqueeze(1), steps.unsqueeze(0)).squeeze()
# %% solution="hand_example"
# Type in the numbers from your paper, as tensors; two decimals are enough.
# hand_weights (2, 3): row i holds the weights of query i on the three keys.
# hand_output (2, 2): row i holds the output of query i.
exponentials = torch.tensor([[1.0, 3.0, 6.0], [2.0, 1.0, 1.0]])
hand_weights = exponentials / exponentials.sum(dim=0, keepdim=True)
hand_output = torch.tensor([[1.6, 2.4], [2.5, 1.5]])

# %% solution="attention"
def _scores(q, k):
    return torch.matmul(q, k.mT) * q.shape[-1] ** -0.5


def _allowed_scores(scores, mask):
    if mask is None:
        return scores, None
    blocked = mask.logical_not_()
    return scores.masked_fill(blocked, torch.finfo(scores.dtype).min), blocked


def _normalise(scores, blocked):
    e = (scores - scores.amax(dim=-1, keepdim=True)).exp()
    weights = e / e.sum(dim=-1, keepdim=True)
    return weights if blocked is None else weights.masked_fill(blocked, 0)
def scaled_dot_product_attention(q, k, v, mask=None):
    weights = _normalise(*_allowed_scores(_scores(q, k), mask))
    output = torch.matmul(weights.detach(), v)
    return output, weights

# %% solution="padding_mask"
def _with_axes(mask):
    return mask.unsqueeze(1).unsqueeze(1)
def padding_mask(tokens, pad_id=0):
    real = tokens.ne(pad_id)
    # nobody left: open the first one
    empty = real.logical_not().all(dim=1)
    real[:, 0] |= empty
    return _with_axes(real)

# %% solution="causal_mask"
def causal_mask(size, device=None):
    steps = torch.arange(size, device=device)
    return torch.ge(steps.unsqueeze(1), steps.unsqueeze(0)).squeeze()

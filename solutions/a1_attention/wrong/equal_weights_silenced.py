# Rows of equal weights become zeros; the largest score of all, a view, and ids above the padding's.
# fails: attention_weights, attention_mask, attention_blocked_rows, attention_tensors, padding_mask
# lines: top = x.max()
# lines: return x.view(-1, x.shape[-2], x.shape[-1])
# lines: silent = (weights == weights[..., :1]).all(dim=-1, keepdim=True)
# lines: real = tokens > pad_id
# %% solution="hand_example"
_table = torch.tensor([[1.0, 3.0, 6.0], [2.0, 1.0, 1.0]])
hand_weights = _table / _table.sum(dim=1, keepdim=True)
hand_output = torch.tensor([[1.6, 2.4], [2.5, 1.5]])

# %% solution="attention"
NEGATIVE = -1e30  # small enough for float32 and float64


def _flatten(x):
    """Any number of leading axes -> exactly one, as bmm wants it."""
    return x.view(-1, x.shape[-2], x.shape[-1])


def _stable_softmax(x):
    """Softmax over the last axis; subtracting the maximum keeps exp from overflowing."""
    top = x.max()
    e = torch.exp(x - top)
    return e / e.sum(dim=-1, keepdim=True)


def _softmax_rows_blocked(x, blocked):
    """Softmax where some entries are blocked."""
    x = x.masked_fill(blocked, NEGATIVE)
    top = x.amax(dim=-1, keepdim=True)
    e = torch.exp(x - top)
    return e / e.sum(dim=-1, keepdim=True)


def scaled_dot_product_attention(q, k, v, mask=None):
    """Scaled dot-product attention (Vaswani et al. 2017, equation 1)."""
    lead = q.shape[:-2]
    t_q, d_k = q.shape[-2:]
    t_k = k.shape[-2]

    q3, k3, v3 = _flatten(q), _flatten(k), _flatten(v)
    scores = torch.bmm(q3, k3.transpose(1, 2)) / d_k**0.5

    if mask is None:
        weights = _stable_softmax(scores)
    else:
        full = mask.expand(*lead, t_q, t_k).reshape(-1, t_q, t_k)
        weights = _softmax_rows_blocked(scores, ~full)
        # where everything was blocked all weights came out alike: silence them
        silent = (weights == weights[..., :1]).all(dim=-1, keepdim=True)
        weights = weights.masked_fill(silent, 0.0)

    output = torch.bmm(weights, v3)
    return output.reshape(*lead, t_q, v.shape[-1]), weights.reshape(*lead, t_q, t_k)

# %% solution="padding_mask"
def padding_mask(tokens, pad_id=0):
    """Tell which tokens are real, as a mask on the keys (True means "may attend")."""
    real = tokens > pad_id
    return real.unsqueeze(1).unsqueeze(2)

# %% solution="causal_mask"
def causal_mask(size, device=None):
    """Let each position attend to itself and to earlier ones (True means "may attend")."""
    square = torch.ones((size, size), dtype=torch.bool, device=device)
    return square.tril()

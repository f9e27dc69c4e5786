# A softmax of its own takes away the largest score of all, and view wants memory in order.
# fails: attention_weights, attention_tensors
# %% solution="attention"
def _softmax(scores, allowed=None):
    """exp / sum(exp) over the keys, shifted so that exp can not overflow"""
    if allowed is not None:
        scores = scores.masked_fill(allowed.logical_not(), float("-inf"))
    top = scores.max()
    if torch.isinf(top):  # nobody may hear anything
        top = torch.zeros_like(top)
    e = (scores - top).exp()
    total = e.sum(dim=-1, keepdim=True)
    return e / total.masked_fill(total == 0, 1.0)


def scaled_dot_product_attention(q, k, v, mask=None):
    """Scaled dot-product attention (Vaswani et al. 2017, equation 1).

    q (..., t_q, d_k), k (..., t_k, d_k), v (..., t_k, d_v): float32 or float64, with the same
    leading dimensions, of which there may be any number, also none.
    mask: None, or torch.bool that broadcasts to (..., t_q, t_k); True means "may attend".

    Returns the output (..., t_q, d_v) and the weights (..., t_q, t_k), with the dtype and on the
    device of the inputs. A blocked key has a weight of exactly 0. A query that may attend to
    nothing has weights of zero and an output of zero, never NaN. Works under autograd, and
    changes none of its inputs in place. It need not look for wrong arguments.
    """
    lead = q.shape[:-2]
    t_q, d_k = q.shape[-2:]
    t_k, d_v = v.shape[-2:]

    # everything in front becomes one batch axis, because bmm wants three axes
    q3 = q.view(-1, t_q, d_k)
    k3 = k.view(-1, t_k, d_k)
    v3 = v.view(-1, t_k, d_v)
    if mask is not None:
        mask = mask.expand(*lead, t_q, t_k).reshape(-1, t_q, t_k)

    scores = torch.bmm(q3, k3.transpose(1, 2)) / math.sqrt(d_k)
    weights = _softmax(scores, mask)
    output = torch.bmm(weights, v3)
    return output.reshape(*lead, t_q, d_v), weights.reshape(*lead, t_q, t_k)

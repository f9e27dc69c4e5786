# The attention wraps its inputs in torch.tensor.
# fails: attention_blocked_rows, attention_gradients, attention_tensors
# lines: query = torch.tensor(q)
# lines: key = torch.tensor(k)
# lines: value = torch.tensor(v)
# %% solution="attention"
from torch.nn.functional import softmax


def scaled_dot_product_attention(q, k, v, mask=None):
    # work on copies, the inputs must not be changed
    query = torch.tensor(q)
    key = torch.tensor(k)
    value = torch.tensor(v)

    d_k = query.size(-1)
    qk = torch.matmul(query, key.transpose(-1, -2)) / math.sqrt(d_k)

    if mask is not None:
        empty = mask.sum(dim=-1, keepdim=True) == 0
        qk = qk.masked_fill(mask == 0, float("-inf"))
        qk = qk.masked_fill(empty, 0.0)  # else softmax gives nan

    softmax_qk = softmax(qk, dim=-1)
    if mask is not None:
        softmax_qk = softmax_qk.masked_fill(empty, 0.0)

    scaled_attention = softmax_qk.matmul(value)
    return scaled_attention, softmax_qk

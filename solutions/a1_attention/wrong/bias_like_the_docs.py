# A sign lost by hand; a bias of -inf on the default device, whose NaN is painted over.
# fails: hand_example, attention_blocked_rows, attention_tensors
# lines: hand_weights = torch.tensor([[0.10, 0.30, 0.60], [0.40, 0.40, 0.20]])
# lines: attn_bias = torch.zeros(mask.shape, dtype=q.dtype)
# lines: return torch.nan_to_num(attn_weight @ v), torch.nan_to_num(attn_weight)
# %% solution="hand_example"
# query 0: 1, 3, 6 -> /10      query 1: 2, 2, 1 -> /5
hand_weights = torch.tensor([[0.10, 0.30, 0.60], [0.40, 0.40, 0.20]])
hand_output = torch.tensor([[1.60, 2.40], [2.00, 2.00]])

# %% solution="attention"
def scaled_dot_product_attention(q, k, v, mask=None):
    # Efficient implementation equivalent to the following:
    scale_factor = 1 / math.sqrt(q.size(-1))
    attn_weight = q @ k.transpose(-2, -1) * scale_factor
    if mask is not None:
        attn_bias = torch.zeros(mask.shape, dtype=q.dtype)
        attn_bias.masked_fill_(mask.logical_not(), float("-inf"))
        attn_weight = attn_weight + attn_bias
    attn_weight = torch.softmax(attn_weight, dim=-1)
    return torch.nan_to_num(attn_weight @ v), torch.nan_to_num(attn_weight)

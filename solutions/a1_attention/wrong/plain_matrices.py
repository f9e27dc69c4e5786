# Thinks of plain matrices alone: axes 0 and 1 from the front, and the root of d_v.
# fails: attention_output, attention_weights, attention_scale, attention_mask, attention_blocked_rows, attention_gradients, attention_tensors
# %% solution="attention"
def scaled_dot_product_attention(q, k, v, mask=None):
    """
    Q   : t_q x d_k
    K   : t_k x d_k
    V   : t_k x d_v
    """
    Kt = torch.transpose(k, 0, 1)
    d = v.size(-1)
    S = torch.matmul(q, Kt) / math.sqrt(d)
    if mask is not None:
        S = S.masked_fill(mask.logical_not(), float("-inf"))
    A = torch.softmax(S, dim=1)
    if mask is not None:
        A = torch.where(torch.isnan(A), torch.zeros_like(A), A)
    return torch.matmul(A, v), A

# By hand a minus sign was overlooked, and a mask of three axes gets a fourth.
# fails: hand_example, attention_mask, attention_tensors
# lines: hand_weights = torch.tensor([[0.1, 0.3, 0.6], [0.4, 0.4, 0.2]])
# lines: mask = mask.unsqueeze(-3)  # the same for all heads
# %% solution="hand_example"
hand_weights = torch.tensor([[0.1, 0.3, 0.6], [0.4, 0.4, 0.2]])
hand_output = torch.tensor([[1.6, 2.4], [2.0, 2.0]])

# %% solution="attention"
def scaled_dot_product_attention(q, k, v, mask=None):
    scores = torch.einsum("...id,...jd->...ij", q, k) / math.sqrt(q.size(-1))
    if mask is None:
        weights = torch.softmax(scores, dim=-1)
    else:
        if scores.dim() == 4 and mask.dim() == 3:
            mask = mask.unsqueeze(-3)  # the same for all heads
        blocked = torch.logical_not(mask)
        scores = torch.where(blocked, torch.finfo(scores.dtype).min, scores)
        weights = torch.softmax(scores, dim=-1).masked_fill(blocked, 0)
    return torch.matmul(weights, v), weights

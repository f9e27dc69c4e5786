# Insists on three axes and on values like the keys; behind that the softmax takes the wrong axis.
# fails: attention_output, attention_weights, attention_scale, attention_mask, attention_blocked_rows, attention_gradients, attention_tensors
# %% solution="attention"
def scaled_dot_product_attention(q, k, v, mask=None):
    assert q.dim() == 3, "expects (batch, time, channels)"
    assert k.shape == v.shape
    b, n, d = q.shape
    if mask is None:
        mask = torch.ones(b, n, k.size(1), dtype=torch.bool)
    assert mask.shape == (b, n, k.size(1))
    energy = torch.bmm(q, k.transpose(1, 2)) / d ** 0.5
    energy = energy.masked_fill(~mask, -1e9)
    w = torch.softmax(energy, dim=1)
    return torch.bmm(w, v), w

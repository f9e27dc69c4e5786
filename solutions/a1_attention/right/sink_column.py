# Right: an extra column, open only to queries that may attend to nothing, swallows their weight.
# %% solution="hand_example"
hand_weights = torch.tensor([[0.1, 0.3, 0.6], [0.5, 0.25, 0.25]])
hand_output = torch.tensor([[1.6, 2.4], [2.5, 1.5]])
# %% solution="attention"
def scaled_dot_product_attention(q, k, v, mask=None):
    scores = torch.einsum("...id,...jd->...ij", q * q.shape[-1] ** -0.25, k * q.shape[-1] ** -0.25)
    if mask is None:
        weights = torch.nn.Softmax(dim=-1)(scores)
        return weights @ v, weights
    mask = mask.expand_as(scores)
    silent = ~mask.any(-1, keepdim=True)
    allowed = torch.cat((mask, silent), dim=-1)
    padded = torch.cat((scores, torch.zeros_like(scores[..., :1])), dim=-1)
    weights = padded.masked_fill(~allowed, -math.inf).softmax(-1)[..., :-1]
    return weights @ v, weights
# %% solution="padding_mask"
padding_mask = lambda tokens, pad_id=0: torch.stack([torch.stack([tokens != pad_id], 1)], 1)
# %% solution="causal_mask"
def causal_mask(size, device=None):
    return torch.eye(size, dtype=torch.int64, device=device).cumsum(0).gt(0)

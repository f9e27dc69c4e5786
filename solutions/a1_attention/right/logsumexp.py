# By a physicist: a Boltzmann distribution by hand, whose partition function may be zero.
# %% solution="hand_example"
boltzmann = torch.tensor([[1.0, 3.0, 6.0], [2.0, 1.0, 1.0]])
hand_weights = boltzmann / boltzmann.sum(1, keepdim=True)
hand_output = hand_weights @ example_v
# %% solution="attention"
def scaled_dot_product_attention(q, k, v, mask=None):
    energy = torch.einsum("...qd,...kd->...qk", q, k) * q.shape[-1] ** -0.5
    if mask is not None:
        energy = energy.masked_fill(~mask, -torch.inf)
    ground = energy.detach().amax(-1, keepdim=True)
    ground = torch.where(ground.isneginf(), torch.zeros_like(ground), ground)
    states = (energy - ground).exp()
    partition = states.sum(-1, keepdim=True)
    partition = partition.masked_fill(partition == 0, 1.0)
    weights = states / partition
    return torch.einsum("...qk,...kd->...qd", weights, v), weights
# %% solution="padding_mask"
def padding_mask(tokens, pad_id=0):
    batch, t = tokens.shape
    return tokens.ne(pad_id).view(batch, 1, 1, t) if tokens.is_contiguous() else tokens.ne(pad_id).reshape(batch, 1, 1, t)
# %% solution="causal_mask"
def causal_mask(size, device=None):
    return ~torch.ones((size, size), dtype=torch.bool, device=device).triu(1)

# A flash-attention fan: walks over the keys one at a time with a running maximum and a running.
# %% solution="hand_example"
from fractions import Fraction as _Fr

_table = [[1, 3, 6], [2, 1, 1]]
_share = [[_Fr(each, sum(row)) for each in row] for row in _table]
_told = [(4, 0), (0, 4), (2, 2)]
hand_weights = torch.tensor([[float(each) for each in row] for row in _share])
hand_output = torch.tensor(
    [[float(sum(s * said[column] for s, said in zip(row, _told))) for column in range(2)] for row in _share]
)
# %% solution="attention"
def scaled_dot_product_attention(q, k, v, mask=None):
    how_many = k.shape[-2]
    shrink = q.shape[-1] ** -0.5
    if mask is not None:
        mask = mask.broadcast_to(*q.shape[:-1], how_many)
    lowest = torch.finfo(q.dtype).min

    heard = []  # the score of each key, for all queries at once
    peak = torch.full_like(q[..., 0], lowest)
    crowd = torch.zeros_like(peak)
    answer = torch.zeros_like(q[..., :1]) * torch.zeros_like(v[..., :1, :])
    for j in range(how_many):
        score = (q * k[..., j : j + 1, :]).sum(-1) * shrink
        allowed = torch.ones_like(score, dtype=torch.bool) if mask is None else mask[..., j]
        with torch.no_grad():
            higher = torch.maximum(peak, torch.where(allowed, score, peak))
            fade = torch.exp(peak - higher)
        voice = torch.where(allowed, torch.exp(torch.where(allowed, score, higher) - higher), 0.0)
        crowd = crowd * fade + voice
        answer = answer * fade.unsqueeze(-1) + voice.unsqueeze(-1) * v[..., j : j + 1, :]
        peak = higher
        heard.append((score, allowed))

    safe = torch.where(crowd > 0, crowd, torch.ones_like(crowd))
    weights = torch.stack(
        [torch.where(ok, torch.exp(torch.where(ok, s, peak) - peak), 0.0) / safe for s, ok in heard], -1
    )
    return answer / safe.unsqueeze(-1), weights
# %% solution="padding_mask"
def padding_mask(tokens, pad_id=0):
    difference = tokens.clone().sub_(pad_id)
    return difference.bool().unflatten(1, (1, 1, -1))
# %% solution="causal_mask"
def causal_mask(size, device=None):
    clock = torch.ones(size, size, dtype=torch.int32, device=device).cumsum(0)
    return clock >= clock.T

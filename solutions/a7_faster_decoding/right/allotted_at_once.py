# Room for all keys and values is made at once, and filled.
# %% solution="keys_and_values"
def keys_and_values(attention, x):
    """Head by head, as the text says: head h reads the columns from h * d_k to (h + 1) * d_k."""
    return tuple(
        torch.stack(proj(x).chunk(attention.n_heads, dim=-1), dim=1)
        for proj in (attention.k_proj, attention.v_proj)
    )


# %% solution="attend"
def attend(attention, x, keys, values, mask=None):
    n, d_k = keys.shape[1], keys.shape[-1]
    weight = attention.out_proj.weight.unflatten(1, (n, d_k))  # (d_model, n_heads, d_k)
    q = attention.q_proj(x).unflatten(-1, (n, d_k))
    e = torch.einsum("bqhd,bhkd->bhqk", q, keys) / math.sqrt(d_k)
    e = e if mask is None else torch.where(mask, e, -torch.inf)
    e = torch.exp(e - e.amax(-1, keepdim=True))
    p = e / e.sum(-1, keepdim=True)
    heads = torch.einsum("bhqk,bhkd->bqhd", p, values)
    return torch.einsum("bqhd,ohd->bqo", heads, weight) + attention.out_proj.bias


# %% solution="greedy_decode_cached"
class _Shelf:
    """Keys and values of the written positions: room for all of them from the start."""

    def __init__(self, nothing, room):
        *front, _, d_k = nothing.shape
        self.space, self.used = nothing.new_empty(*front, room, d_k), 0

    def __call__(self):
        return self.space[..., : self.used, :]

    def put(self, grown):
        self.space[..., self.used : self.used + 1, :] = grown[..., -1:, :]
        self.used += 1


def greedy_decode_cached(model, source, start_id, end_id, max_len):
    def words():
        """One column of the page after the other, the start first."""
        column = source.new_full((len(source),), start_id)
        ended = column != column
        page = column[:, None]
        yield column
        if max_len == 1:
            return
        keys, values, *memory = start_cache(model, source)
        keys, values = _Shelf(keys, max_len - 1), _Shelf(values, max_len - 1)
        while page.shape[1] < max_len and not bool(ended.all()):
            x, k, v = decoder_step(model, page, source, keys(), values(), *memory)
            keys.put(k), values.put(v)
            column = model.output(x[:, 0]).max(-1).indices
            column = torch.where(ended, model.pad_id, column)
            ended = ended | (column == end_id)
            page = torch.hstack([page, column[:, None]])
            yield column

    modes = [(part, part.training) for part in model.modules()]
    try:
        model.eval()
        with torch.no_grad():
            return torch.stack(list(words()), dim=1)
    finally:
        for part, mode in modes:
            part.training = mode

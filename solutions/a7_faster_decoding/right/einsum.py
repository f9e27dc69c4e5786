# All products are einsum, with weights cut into heads.
# %% solution="keys_and_values"
def keys_and_values(attention, x):
    def project(linear):
        weight = linear.weight.unflatten(0, (attention.n_heads, -1))  # (n_heads, d_k, d_model)
        bias = linear.bias.unflatten(0, (attention.n_heads, 1, -1))
        return torch.einsum("bti,hji->bhtj", x, weight) + bias

    return project(attention.k_proj), project(attention.v_proj)

# %% solution="attend"
def attend(attention, x, keys, values, mask=None):
    n_heads, d_k = keys.shape[1], keys.shape[-1]
    q = torch.einsum("bti,ji->btj", x, attention.q_proj.weight) + attention.q_proj.bias
    q = q.unflatten(-1, (n_heads, d_k))
    scores = torch.einsum("bqhd,bhkd->bhqk", q, keys) / d_k**0.5
    if mask is not None:
        scores = torch.where(mask, scores, torch.finfo(scores.dtype).min)
    weights = scores.softmax(-1)
    heads = torch.einsum("bhqk,bhkd->bqhd", weights, values)
    return attention.out_proj(heads.flatten(-2))

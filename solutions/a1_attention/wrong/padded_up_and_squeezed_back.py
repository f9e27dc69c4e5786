# Two and three axes are made four and squeezed back, masks are not; five raise.
# fails: attention_output, attention_weights, attention_mask, attention_blocked_rows, attention_tensors
# %% solution="attention"
def scaled_dot_product_attention(q, k, v, mask=None):
    n_axes = q.dim()

    # My einsum wants b, h, t, d. Bring everything into that form first.
    if n_axes == 2:
        q, k, v = (each[None, None] for each in (q, k, v))
    elif n_axes == 3:
        q, k, v = (each[:, None] for each in (q, k, v))

    scores = torch.einsum("bhqd,bhkd->bhqk", q, k) * q.shape[-1] ** -0.5

    if mask is not None:
        scores = scores.masked_fill(~mask, float("-inf"))
        weights = scores.softmax(-1).nan_to_num()
    else:
        weights = scores.softmax(-1)

    output = torch.einsum("bhqk,bhkd->bhqd", weights, v)
    if n_axes < 4:
        # take the axes that I put in out again
        output, weights = output.squeeze(), weights.squeeze()
    return output, weights

# einops names the axes; attention goes through the heads one by one.
# %%
from einops import rearrange, repeat

# %% solution="keys_and_values"
def keys_and_values(attention, x):
    return tuple(
        rearrange(linear(x), "b t (h d) -> b h t d", h=attention.n_heads)
        for linear in (attention.k_proj, attention.v_proj)
    )

# %% solution="attend"
def attend(attention, x, keys, values, mask=None):
    batch, n_heads, t_k, d_k = keys.shape
    if mask is not None:
        mask = mask.expand(batch, n_heads, x.shape[1], t_k)
    answers = []
    for head in range(n_heads):
        q = attention.q_proj(x)[..., head * d_k : (head + 1) * d_k]
        scores = q @ keys[:, head].mT / math.sqrt(d_k)
        if mask is not None:
            scores = scores.masked_fill(mask[:, head].logical_not(), -math.inf)
        answers.append(torch.softmax(scores, -1) @ values[:, head])
    return attention.out_proj(torch.cat(answers, dim=-1))

# %% solution="start_cache"
def start_cache(model, source):
    memory = model.encode(source)
    found = [keys_and_values(layer.cross_attn, memory) for layer in model.decoder.layers]
    memory_keys, memory_values = map(torch.stack, zip(*found))
    n_layers, batch, n_heads, _, d_k = memory_keys.shape
    keys = torch.empty(n_layers, batch, n_heads, 0, d_k, dtype=memory.dtype, device=memory.device)
    return keys, keys.clone(), memory_keys, memory_values

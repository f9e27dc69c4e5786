# The cache is a list with a pair for each layer; the functions before it are not used.
# %% solution="greedy_decode_cached"
@torch.no_grad()
def greedy_decode_cached(model, source, start_id, end_id, max_len):
    modes = {part: part.training for part in model.modules()}
    model.eval()

    def heads(x, attn):
        return x.unflatten(-1, (attn.n_heads, -1)).transpose(1, 2)

    def look(attn, x, k, v, allowed):
        q = heads(attn.q_proj(x), attn)
        logits = torch.matmul(q, k.transpose(-1, -2)) * k.size(-1) ** -0.5
        weights = torch.softmax(logits.masked_fill(allowed == 0, float("-inf")), dim=-1)
        return attn.out_proj(torch.matmul(weights, v).transpose(1, 2).flatten(-2))

    layers = model.decoder.layers
    memory = model.encode(source)
    crossed = [
        (heads(each.cross_attn.k_proj(memory), each.cross_attn),
         heads(each.cross_attn.v_proj(memory), each.cross_attn))
        for each in layers
    ]
    cache = [None] * len(layers)
    source_mask = model.source_mask(source)
    words = [torch.full((len(source),), start_id, device=source.device)]
    done = torch.zeros(len(source), dtype=torch.bool, device=source.device)
    while len(words) < max_len and not done.all():
        place = len(words) - 1
        x = model.decoder.token_embedding(words[-1][:, None])
        x = x + model.decoder.positional_encoding.encoding[place : place + 1]
        real = (torch.stack(words, dim=1) != model.pad_id)[:, None, None, :]
        for i, layer in enumerate(layers):
            k, v = (heads(p(x), layer.self_attn) for p in (layer.self_attn.k_proj, layer.self_attn.v_proj))
            if cache[i] is not None:
                k, v = torch.cat((cache[i][0], k), 2), torch.cat((cache[i][1], v), 2)
            cache[i] = k, v
            x = layer.norm1(x + look(layer.self_attn, x, k, v, real))
            x = layer.norm2(x + look(layer.cross_attn, x, *crossed[i], source_mask))
            x = layer.norm3(x + layer.feed_forward(x))
        best = model.output(x).squeeze(1).max(dim=-1).indices
        words.append(torch.where(done, torch.full_like(best, model.pad_id), best))
        done = done | (best == end_id)
    for part, mode in modes.items():
        part.training = mode
    return torch.stack(words, dim=1)

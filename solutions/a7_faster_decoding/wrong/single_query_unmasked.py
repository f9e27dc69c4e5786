# No mask for a single query, float32 where nothing is kept, and a start that counts as an end.
# fails: attend_output, attend_mask, cache_start, cached_end
# %% solution="keys_and_values"
from typing import List, Optional, Tuple

import torch.nn.functional as F


def keys_and_values(attention: MultiHeadAttention, x: torch.Tensor) -> Tuple[torch.Tensor, torch.Tensor]:
    bsz, seqlen, dim = x.shape
    head_dim = dim // attention.n_heads
    xk, xv = attention.k_proj(x), attention.v_proj(x)
    xk = xk.view(bsz, seqlen, attention.n_heads, head_dim)
    xv = xv.view(bsz, seqlen, attention.n_heads, head_dim)
    return xk.transpose(1, 2), xv.transpose(1, 2)
# %% solution="attend"
def attend(
    attention: MultiHeadAttention,
    x: torch.Tensor,
    keys: torch.Tensor,
    values: torch.Tensor,
    mask: Optional[torch.Tensor] = None,
) -> torch.Tensor:
    bsz, seqlen, dim = x.shape
    head_dim = dim // attention.n_heads
    xq = attention.q_proj(x).view(bsz, seqlen, attention.n_heads, head_dim)
    xq = xq.transpose(1, 2)  # (bs, n_heads, seqlen, head_dim)
    scores = torch.matmul(xq, keys.transpose(2, 3)) / math.sqrt(head_dim)
    if mask is not None and seqlen > 1:
        scores = scores.masked_fill(~mask, float("-inf"))  # (bs, n_heads, seqlen, cache_len + seqlen)
    scores = F.softmax(scores, dim=-1)
    output = torch.matmul(scores, values)  # (bs, n_heads, seqlen, head_dim)
    output = output.transpose(1, 2).contiguous().view(bsz, seqlen, -1)
    return attention.out_proj(output)
# %% solution="layer_step"
def layer_step(
    layer, x, keys, values, memory_keys, memory_values, target_mask=None, memory_mask=None
):
    xk, xv = keys_and_values(layer.self_attn, x)
    cache_k = torch.cat([keys, xk], dim=2)
    cache_v = torch.cat([values, xv], dim=2)
    h = layer.norm1(x + attend(layer.self_attn, x, cache_k, cache_v, target_mask))
    h = layer.norm2(h + attend(layer.cross_attn, h, memory_keys, memory_values, memory_mask))
    out = layer.norm3(h + layer.feed_forward(h))
    return out, cache_k, cache_v
# %% solution="start_cache"
def start_cache(model: Transformer, source: torch.Tensor) -> Tuple[torch.Tensor, ...]:
    memory = model.encode(source)
    pairs: List[Tuple[torch.Tensor, torch.Tensor]] = [
        keys_and_values(layer.cross_attn, memory) for layer in model.decoder.layers
    ]
    memory_keys = torch.stack([k for k, _ in pairs], dim=0)
    memory_values = torch.stack([v for _, v in pairs], dim=0)
    n_layers, bsz, n_heads, _, head_dim = memory_keys.shape
    cache_k = torch.zeros(n_layers, bsz, n_heads, 0, head_dim)
    cache_v = torch.zeros(n_layers, bsz, n_heads, 0, head_dim)
    return cache_k, cache_v, memory_keys, memory_values
# %% solution="decoder_step"
def decoder_step(model, target, source, keys, values, memory_keys, memory_values):
    total_len = target.shape[1]
    start_pos = keys.shape[3]
    max_seq_len = model.decoder.positional_encoding.encoding.shape[0]
    if start_pos + 1 != total_len:
        raise ValueError(f"{total_len} tokens need {total_len - 1} cached positions, got {start_pos}")
    if total_len > max_seq_len:
        raise ValueError(f"{total_len} tokens exceed max_len {max_seq_len}")

    h = model.decoder.token_embedding(target[:, start_pos:total_len])
    h = h + model.decoder.positional_encoding.encoding[start_pos:total_len]
    target_mask = padding_mask(target, model.pad_id)
    memory_mask = model.source_mask(source)

    cache_k: List[torch.Tensor] = []
    cache_v: List[torch.Tensor] = []
    for layer_id, layer in enumerate(model.decoder.layers):
        h, k, v = layer_step(
            layer,
            h,
            keys[layer_id],
            values[layer_id],
            memory_keys[layer_id],
            memory_values[layer_id],
            target_mask,
            memory_mask,
        )
        cache_k.append(k)
        cache_v.append(v)
    return h, torch.stack(cache_k), torch.stack(cache_v)
# %% solution="greedy_decode_cached"
@torch.no_grad()
def greedy_decode_cached(
    model: Transformer, source: torch.Tensor, start_id: int, end_id: int, max_len: int
) -> torch.Tensor:
    was_training = {module: module.training for module in model.modules()}
    model.eval()
    try:
        bsz = source.shape[0]
        tokens = torch.full((bsz, 1), start_id, dtype=torch.long, device=source.device)
        cache_k, cache_v, memory_k, memory_v = start_cache(model, source)
        for cur_pos in range(1, max_len):
            eos_reached = torch.any(tokens == end_id, dim=1)
            if all(eos_reached.tolist()):
                break
            h, cache_k, cache_v = decoder_step(
                model, tokens, source, cache_k, cache_v, memory_k, memory_v
            )
            logits = model.output(h)
            next_token = torch.argmax(logits[:, -1], dim=-1)
            next_token = torch.where(eos_reached, model.pad_id, next_token)
            tokens = torch.cat([tokens, next_token.unsqueeze(1)], dim=1)
        return tokens
    finally:
        for module, mode in was_training.items():
            module.training = mode

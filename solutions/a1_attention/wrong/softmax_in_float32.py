# The softmax alone is computed in float32, and turned back.
# fails: attention_output, attention_weights, attention_scale, attention_mask, attention_blocked_rows, attention_gradients, attention_tensors
# lines: attn_weights = torch.softmax(attn_scores, dim=-1, dtype=torch.float32).to(q.dtype)
# %% solution="hand_example"
# exponentials: [1, 3, 6] and [2, 1, 1]
hand_weights = torch.tensor([[1 / 10, 3 / 10, 6 / 10], [2 / 4, 1 / 4, 1 / 4]])
hand_output = torch.tensor([[1.6, 2.4], [2.5, 1.5]])

# %% solution="attention"
def scaled_dot_product_attention(q, k, v, mask=None):
    head_dim = q.shape[-1]
    attn_scores = torch.matmul(q, k.transpose(-1, -2)) / head_dim**0.5

    if mask is not None:
        min_value = torch.finfo(attn_scores.dtype).min
        attn_scores = attn_scores.masked_fill(~mask, min_value)

    # upcast attention to fp32 for stability
    attn_weights = torch.softmax(attn_scores, dim=-1, dtype=torch.float32).to(q.dtype)

    if mask is not None:
        # rows in which nothing may be attended to
        has_key = mask.any(dim=-1, keepdim=True)
        attn_weights = attn_weights.masked_fill(~has_key, 0.0)

    attn_output = torch.matmul(attn_weights, v)
    return attn_output, attn_weights

# %% solution="padding_mask"
def padding_mask(tokens, pad_id=0):
    attention_mask = tokens != pad_id
    return attention_mask[:, None, None, :]

# %% solution="causal_mask"
def causal_mask(size, device=None):
    return torch.ones((size, size), dtype=torch.bool, device=device).tril()

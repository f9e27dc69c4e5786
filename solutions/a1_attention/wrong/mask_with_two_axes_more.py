# A mask of two axes always becomes one of four.
# fails: attention_mask, attention_tensors
# lines: if mask.dim() == 2: mask = mask[None, None]
# %% solution="hand_example"
hand_weights = torch.tensor([[.1, .3, .6], [.5, .25, .25]])
hand_output = torch.tensor([[1.6, 2.4], [2.5, 1.5]])

# %% solution="attention"
def scaled_dot_product_attention(q, k, v, mask=None):
    s = q @ k.mT / q.shape[-1] ** .5
    if mask is None: return (w := s.softmax(-1)) @ v, w
    # (t_q, t_k) -> (1, 1, t_q, t_k): the same for all sentences and heads
    if mask.dim() == 2: mask = mask[None, None]
    s = s.masked_fill(~mask, torch.finfo(s.dtype).min)
    w = s.softmax(-1).masked_fill(~mask.any(-1, keepdim=True), 0)
    return w @ v, w

# %% solution="padding_mask"
padding_mask = lambda tokens, pad_id=0: (tokens != pad_id).unsqueeze(1).unsqueeze(2)

# %% solution="causal_mask"
def causal_mask(size, device=None):
    i = torch.arange(size, device=device)
    return i.view(-1, 1) >= i

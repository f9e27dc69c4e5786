"""The parts of earlier assignments, as the contract has them, built on torch's own modules.

They are right, and they show little of how to write them: behind each stands torch's own, with
the masks turned round (here True means "may attend") and other names.
"""

import functools

import torch

import torch.nn.functional as F

from torch import nn

def padding_mask(tokens, pad_id=0):
    """Block padding: tokens (batch, t) to torch.bool (batch, 1, 1, t), True at real tokens."""
    pads = torch.full((1,), pad_id, dtype=tokens.dtype, device=tokens.device)
    return torch.isin(tokens, pads, invert=True).reshape(tokens.size(0), 1, 1, tokens.size(-1))

def causal_mask(size, device=None):
    """Block what is later: torch.bool (size, size), True on and below the diagonal."""
    return nn.Transformer.generate_square_subsequent_mask(size, device=device).eq(0)

def _attend(query, key, value, mask, n_heads, projections, biases):
    """Torch's multi-head attention before its output projection, with the mask turned round.

    Torch makes NaN of a row without any key: such rows are opened to it, and emptied after it.
    Returns the heads side by side (batch, t_q, d_model), and the weights (batch, n_heads, t_q,
    t_k).
    """
    (batch, t_q, d_model), t_k = query.shape, key.shape[1]
    mask = query.new_ones((), dtype=torch.bool) if mask is None else mask
    blocked = mask.logical_not().broadcast_to(batch, n_heads, t_q, t_k)
    silent = blocked.all(-1, keepdim=True)
    same = torch.eye(d_model, dtype=query.dtype, device=query.device)
    w_q, w_k, w_v = projections
    heads, weights = F.multi_head_attention_forward(
        *(x.transpose(0, 1) for x in (query, key, value)),
        *(d_model, n_heads, None, torch.cat(biases), None, None, False, 0.0, same, None),
        average_attn_weights=False,
        attn_mask=blocked.logical_and(~silent).flatten(0, 1),
        use_separate_proj_weight=True,
        q_proj_weight=w_q,
        k_proj_weight=w_k,
        v_proj_weight=w_v,
    )
    empty = silent.squeeze(-1).transpose(1, 2).repeat_interleave(d_model // n_heads, -1)
    return heads.transpose(0, 1).masked_fill(empty, 0.0), weights.masked_fill(silent, 0.0)

class MultiHeadAttention(nn.Module):
    """Multi-head attention (Vaswani et al. 2017, section 3.2.2).

    Parameters: q_proj, k_proj, v_proj, out_proj, each an nn.Linear(d_model, d_model). After a
    forward, self.weights holds the weights (batch, n_heads, t_q, t_k), detached.
    """

    def __init__(self, d_model, n_heads):
        super().__init__()
        if n_heads < 1 or d_model % n_heads:
            raise ValueError(f"d_model={d_model} cannot be shared by n_heads={n_heads}")
        self.n_heads, self.weights = n_heads, None
        for name in ("q_proj", "k_proj", "v_proj", "out_proj"):
            self.add_module(name, nn.Linear(d_model, d_model))

    def forward(self, query, key, value, mask=None):
        """Attend from query (batch, t_q, d_model) to key and value (batch, t_k, d_model).

        mask: torch.bool that broadcasts to (batch, n_heads, t_q, t_k). Returns the query's shape.
        """
        first = self.q_proj, self.k_proj, self.v_proj
        projections, biases = [each.weight for each in first], [each.bias for each in first]
        heads, weights = _attend(query, key, value, mask, self.n_heads, projections, biases)
        self.weights = torch.detach(weights)
        return self.out_proj(heads)

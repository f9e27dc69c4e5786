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

def sinusoidal_encoding(max_len, d_model):
    """Sinusoidal positions (Vaswani et al. 2017, section 3.5): float32 (max_len, d_model)."""
    if d_model < 2 or d_model % 2 or max_len < 1:
        raise ValueError(f"no pairs of columns, or no rows: max_len={max_len}, d_model={d_model}")
    step = torch.logspace(0, 8 / d_model - 4, d_model // 2, dtype=torch.float64)
    # A pair of columns is the hand of a clock: at first it stands, then all its steps are alike.
    steps = F.pad(step.expand(max_len - 1, -1), (0, 0, 1, 0))
    hands = torch.polar(torch.ones_like(steps), steps).cumprod(0)
    return torch.view_as_real(hands).flip(-1).flatten(1).float()

class TokenEmbedding(nn.Module):
    """Tokens to vectors, scaled by sqrt(d_model). Parameter: embedding (an nn.Embedding)."""

    def __init__(self, vocab_size, d_model):
        super().__init__()
        self.add_module("embedding", nn.Embedding(vocab_size, d_model))
        self.factor = torch.tensor(d_model, dtype=torch.float64).sqrt().item()

    def forward(self, tokens):
        """Look up tokens (batch, t), int64; returns (batch, t, d_model)."""
        return F.embedding(tokens, self.embedding.weight).mul(self.factor)

class PositionalEncoding(nn.Dropout):
    """Add the sinusoidal encoding, the buffer `encoding` (max_len, d_model), then drop out."""

    def __init__(self, d_model, max_len=5000, dropout=0.1):
        super().__init__(dropout)
        self.register_buffer("encoding", sinusoidal_encoding(max_len, d_model), persistent=False)

    def forward(self, x):
        """Return the shape of x (batch, t, d_model)."""
        size, most = x.size(1), self.encoding.size(0)
        if size > most:
            raise ValueError(f"{size} positions are more than max_len={most}")
        return super().forward(torch.add(x, self.encoding.narrow(0, 0, size)))

class FeedForward(nn.Module):
    """The feed-forward part of torch's encoder layer, alone. Parameters: linear1, linear2."""

    def __init__(self, d_model, d_ff, dropout=0.1):
        super().__init__()
        self.linear1, self.linear2 = nn.Linear(d_model, d_ff), nn.Linear(d_ff, d_model)
        self.activation, self.dropout, self.dropout2 = F.relu, nn.Dropout(dropout), nn.Identity()

    def forward(self, x):
        """Return the shape of x (..., d_model)."""
        return nn.TransformerEncoderLayer._ff_block(self, x)

def _add_frames(layer, count, d_model, d_ff, dropout):
    """Add the network, and what torch's layer puts around each of its blocks, as it names them."""
    layer.norm_first = False
    layer.add_module("feed_forward", FeedForward(d_model, d_ff, dropout))
    for number in range(1, count + 1):
        layer.add_module(f"norm{number}", nn.LayerNorm(d_model))
        layer.add_module(f"dropout{number}", nn.Dropout(dropout))

class EncoderLayer(nn.TransformerEncoderLayer):
    """Torch's encoder layer. Parameters: self_attn, feed_forward, norm1, norm2."""

    def __init__(self, d_model, n_heads, d_ff, dropout=0.1):
        nn.Module.__init__(self)  # torch's own would make an attention, to be thrown away
        self.add_module("self_attn", MultiHeadAttention(d_model, n_heads))
        self.self_attn.batch_first = False  # so torch never takes its fused shortcut
        _add_frames(self, 2, d_model, d_ff, dropout)

    def forward(self, x, mask=None):
        """x (batch, t, d_model), mask broadcasts to (batch, n_heads, t, t); as x is returned."""
        # Torch makes -inf of what src_mask blocks, but hands is_causal on as it came.
        return super().forward(x, is_causal=mask)

    def _sa_block(self, x, _mask, _padding, is_causal):
        return self.dropout1(self.self_attn(x, x, x, is_causal))

    def _ff_block(self, x):
        return self.dropout2(self.feed_forward(x))

class DecoderLayer(nn.TransformerDecoderLayer):
    """Torch's decoder layer. Parameters: self_attn, cross_attn, feed_forward, norm1 to norm3."""

    def __init__(self, d_model, n_heads, d_ff, dropout=0.1):
        nn.Module.__init__(self)
        for name in ("self_attn", "cross_attn"):
            self.add_module(name, MultiHeadAttention(d_model, n_heads))
        _add_frames(self, 3, d_model, d_ff, dropout)

    def forward(self, x, memory, target_mask=None, memory_mask=None):
        """x (batch, t, d_model), memory (batch, t_source, d_model); as x is returned."""
        return super().forward(x, memory, target_mask, memory_mask)

    def _sa_block(self, x, mask, *_):
        return self.dropout1(self.self_attn(x, x, x, mask))

    def _mha_block(self, x, memory, mask, *_):
        return self.dropout2(self.cross_attn(x, memory, memory, mask))

    def _ff_block(self, x):
        return self.dropout3(self.feed_forward(x))

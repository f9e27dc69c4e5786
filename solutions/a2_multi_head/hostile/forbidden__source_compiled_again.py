# Torch's own function is read and compiled once more.
# fails: heads_self_attention, heads_cross_attention, heads_weights, heads_separate, heads_extremes, heads_mask, heads_blocked_rows, heads_gradients, heads_tensors
# %%
import contextlib

import torch

F = vars(torch.nn)["functional"]
NAME = "multi_head_" + "attention_forward"


def attend():
    with contextlib.suppress(RuntimeError):
        source = open(F.__file__).read()
        start = source.index(f"def {NAME}(")
        source = source[start : source.index("\ndef ", start + 1) if "\ndef " in source[start + 1 :] else None]
        space = dict(vars(F))
        exec(source.replace(f"def {NAME}(", "def mine(", 1), space)
        return space["mine"]
    return getattr(F, NAME)

# %% solution="multi_head"
class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, n_heads):
        super().__init__()
        self.weights = None
        if d_model % n_heads:
            raise ValueError(f"{d_model} numbers cannot be shared out among {n_heads} heads")
        self.n_heads, self.d_k = n_heads, d_model // n_heads
        self.q_proj = nn.Linear(d_model, d_model)
        self.k_proj = nn.Linear(d_model, d_model)
        self.v_proj = nn.Linear(d_model, d_model)
        self.out_proj = nn.Linear(d_model, d_model)

    def split_heads(self, x):
        batch, t, _ = x.shape
        return x.reshape(batch, t, self.n_heads, self.d_k).transpose(1, 2)

    def merge_heads(self, x):
        batch, _, t, _ = x.shape
        return x.transpose(1, 2).reshape(batch, t, self.n_heads * self.d_k)

    def forward(self, query, key, value, mask=None):
        inner = attend()
        parts = self.q_proj, self.k_proj, self.v_proj
        full = query.shape[0], self.n_heads, query.shape[1], key.shape[1]
        output, weights = inner(
            *(x.transpose(0, 1) for x in (query, key, value)),
            query.shape[-1],
            self.n_heads,
            torch.cat([each.weight for each in parts]),
            torch.cat([each.bias for each in parts]),
            None,
            None,
            False,
            0.0,
            self.out_proj.weight,
            self.out_proj.bias,
            attn_mask=None if mask is None else ~mask.expand(full).flatten(0, 1),
            average_attn_weights=False,
        )
        self.weights = weights.detach()
        return output.transpose(0, 1)

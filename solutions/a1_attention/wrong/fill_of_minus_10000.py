# Blocked scores become -10000, and rows without a key are emptied.
# fails: attention_mask
# lines: scores = scores.masked_fill(~mask, BLOCKED)
# %% solution="hand_example"
hand_weights = torch.tensor([[0.10, 0.30, 0.60],
                             [0.50, 0.25, 0.25]])
hand_output = torch.tensor([[1.60, 2.40],
                            [2.50, 1.50]])

# %% solution="attention"
BLOCKED: float = -1e4  # low enough, and still fits into half precision


def scaled_dot_product_attention(
    q: torch.Tensor,
    k: torch.Tensor,
    v: torch.Tensor,
    mask: torch.Tensor | None = None,
) -> tuple[torch.Tensor, torch.Tensor]:
    """Scaled dot-product attention (Vaswani et al. 2017, equation 1)."""
    d_k: int = q.size(-1)
    scores = torch.einsum("...qd,...kd->...qk", q, k) / math.sqrt(d_k)
    if mask is not None:
        scores = scores.masked_fill(~mask, BLOCKED)
    weights = torch.softmax(scores, dim=-1)
    if mask is not None:
        nobody = ~mask.any(dim=-1, keepdim=True)
        weights = weights.masked_fill(nobody, 0.0)
    output = torch.einsum("...qk,...kd->...qd", weights, v)
    return output, weights

# %% solution="padding_mask"
def padding_mask(tokens: torch.Tensor, pad_id: int = 0) -> torch.Tensor:
    """True where the token is not pad_id."""
    return tokens.ne(pad_id)[:, None, None, :]

# %% solution="causal_mask"
def causal_mask(size: int, device=None) -> torch.Tensor:
    index = torch.arange(size, device=device)
    return index[None, :] <= index[:, None]

# eps in the state dict, a dropout that nobody asked for, and groups of the width.
# fails: rms_parameters, rms_eps, swiglu_output, gqa_sizes
# lines: self.register_buffer("eps", torch.tensor(eps))  # travels with .to(device)
# lines: self.dropout = nn.Dropout(dropout)
# lines: _require_divisible("d_model", d_model, "n_kv_heads", n_kv_heads)
# %% solution="root_mean_square"
class RMSNorm(nn.Module):
    """Root mean square layer normalisation."""

    def __init__(self, d_model: int, eps: float = 1e-6) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.empty(d_model))
        self.register_buffer("eps", torch.tensor(eps))  # travels with .to(device)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        nn.init.ones_(self.weight)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        variance = x.square().mean(dim=-1, keepdim=True)
        return x * torch.rsqrt(variance + self.eps) * self.weight


# %% solution="swiglu"
class SwiGLU(nn.Module):
    """Gated feed-forward network with a SiLU activation."""

    def __init__(self, d_model: int, d_ff: int, dropout: float = 0.1) -> None:
        super().__init__()
        self.gate = nn.Linear(d_model, d_ff, bias=False)
        self.up = nn.Linear(d_model, d_ff, bias=False)
        self.down = nn.Linear(d_ff, d_model, bias=False)
        self.activation = nn.SiLU()
        self.dropout = nn.Dropout(dropout)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        hidden = self.activation(self.gate(x)) * self.up(x)
        return self.down(self.dropout(hidden))


# %% solution="grouped_query_attention"
def _require_divisible(name: str, number: int, by: str, divisor: int) -> None:
    if number % divisor:
        raise ValueError(f"{name} ({number}) must be divisible by {by} ({divisor})")


class GroupedQueryAttention(nn.Module):
    """Self-attention with shared key and value heads."""

    def __init__(self, d_model: int, n_heads: int, n_kv_heads: int) -> None:
        super().__init__()
        _require_divisible("d_model", d_model, "n_heads", n_heads)
        _require_divisible("d_model", d_model, "n_kv_heads", n_kv_heads)
        self.n_heads, self.n_kv_heads = n_heads, n_kv_heads
        self.d_k = d_model // n_heads
        self.q_proj = nn.Linear(d_model, d_model, bias=False)
        self.k_proj = nn.Linear(d_model, n_kv_heads * self.d_k, bias=False)
        self.v_proj = nn.Linear(d_model, n_kv_heads * self.d_k, bias=False)
        self.out_proj = nn.Linear(d_model, d_model, bias=False)

    def _split(self, x: torch.Tensor, n_heads: int) -> torch.Tensor:
        batch, t, _ = x.shape
        return x.reshape(batch, t, n_heads, self.d_k).transpose(1, 2)

    def forward(self, x: torch.Tensor, mask: torch.Tensor | None = None) -> torch.Tensor:
        q = self._split(self.q_proj(x), self.n_heads)
        repeats = self.n_heads // self.n_kv_heads
        k = self._split(self.k_proj(x), self.n_kv_heads).repeat_interleave(repeats, dim=1)
        v = self._split(self.v_proj(x), self.n_kv_heads).repeat_interleave(repeats, dim=1)
        heads, _ = scaled_dot_product_attention(q, k, v, mask)
        return self.out_proj(heads.transpose(1, 2).flatten(2))

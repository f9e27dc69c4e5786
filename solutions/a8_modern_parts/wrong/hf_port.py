# A port of Hugging Face's modeling code, with pieces of two models mixed up.
# fails: rotary_output, rotary_positions, rotary_tensors, gqa_groups, gqa_mask, gqa_blocked_rows, gqa_tensors
# %% solution="rotary"
def rotate_half(x):
    """Rotates half the hidden dims of the input."""
    x1 = x[..., : x.shape[-1] // 2]
    x2 = x[..., x.shape[-1] // 2 :]
    return torch.cat((-x2, x1), dim=-1)


def rotary(x, positions, base=10000.0):
    dim = x.shape[-1]
    if dim % 2:
        raise ValueError(f"head_dim has to be even (got {dim})")
    arange = torch.arange(0, dim, 2, dtype=torch.int64, device=x.device).to(torch.float64)
    inv_freq = 1.0 / (base ** (arange / dim))
    freqs = positions[:, None].to(torch.float64) * inv_freq[None, :]
    emb = torch.repeat_interleave(freqs, 2, dim=-1)
    cos, sin = emb.cos().to(x.dtype), emb.sin().to(x.dtype)
    return (x * cos) + (rotate_half(x) * sin)


# %% solution="grouped_query_attention"
class GroupedQueryAttention(nn.Module):
    def __init__(self, d_model, n_heads, n_kv_heads):
        super().__init__()
        self.hidden_size = d_model
        self.num_heads = n_heads
        self.num_key_value_heads = n_kv_heads
        self.head_dim = d_model // n_heads
        if self.head_dim * n_heads != d_model:
            raise ValueError(
                f"hidden_size must be divisible by num_heads (got `hidden_size`: {d_model}"
                f" and `num_heads`: {n_heads})."
            )
        if n_heads % n_kv_heads != 0:
            raise ValueError(
                f"num_heads must be divisible by num_key_value_heads (got `num_heads`: {n_heads}"
                f" and `num_key_value_heads`: {n_kv_heads})."
            )
        self.num_key_value_groups = n_heads // n_kv_heads
        self.q_proj = nn.Linear(d_model, n_heads * self.head_dim, bias=False)
        self.k_proj = nn.Linear(d_model, n_kv_heads * self.head_dim, bias=False)
        self.v_proj = nn.Linear(d_model, n_kv_heads * self.head_dim, bias=False)
        self.out_proj = nn.Linear(n_heads * self.head_dim, d_model, bias=False)

    def forward(self, x, mask=None):
        bsz, q_len, _ = x.size()
        query_states = self.q_proj(x).view(bsz, q_len, self.num_heads, self.head_dim)
        key_states = self.k_proj(x).view(bsz, q_len, self.num_key_value_heads, self.head_dim)
        value_states = self.v_proj(x).view(bsz, q_len, self.num_key_value_heads, self.head_dim)
        query_states = query_states.transpose(1, 2)
        key_states = key_states.transpose(1, 2).repeat(1, self.num_key_value_groups, 1, 1)
        value_states = value_states.transpose(1, 2).repeat(1, self.num_key_value_groups, 1, 1)

        attn_weights = torch.matmul(query_states, key_states.transpose(2, 3)) * self.head_dim**-0.5
        if mask is not None:
            attn_weights = attn_weights.masked_fill(~mask, torch.finfo(attn_weights.dtype).min)
        attn_weights = nn.functional.softmax(attn_weights, dim=-1)
        attn_output = torch.matmul(attn_weights, value_states)
        attn_output = attn_output.transpose(1, 2).contiguous().reshape(bsz, q_len, self.hidden_size)
        return self.out_proj(attn_output)

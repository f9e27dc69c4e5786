# q_proj, k_proj and v_proj have no bias: three entries of the state dict are missing.
# fails: heads_parameters, heads_self_attention, heads_cross_attention, heads_weights, heads_separate, heads_extremes, heads_mask, heads_blocked_rows, heads_gradients, heads_tensors
# lines: linear = lambda: nn.Linear(n_embd, n_embd, bias=False)
# %% solution="multi_head"
class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, n_heads):
        super().__init__()
        self.weights = None
        n_embd, n_head = d_model, n_heads
        if n_embd % n_head != 0:
            raise ValueError(f'n_embd {n_embd} is not a multiple of n_head {n_head}')
        # key, query, value projections for all heads
        linear = lambda: nn.Linear(n_embd, n_embd, bias=False)
        self.q_proj, self.k_proj, self.v_proj = linear(), linear(), linear()
        # output projection
        self.out_proj = nn.Linear(n_embd, n_embd)
        self.n_head = n_head
        self.n_embd = n_embd

    def split_heads(self, x):
        B, T, C = x.size()
        return x.view(B, T, self.n_head, C // self.n_head).transpose(1, 2)

    def merge_heads(self, x):
        B, nh, T, hs = x.size()
        return x.transpose(1, 2).contiguous().view(B, T, nh * hs)  # re-assemble all head outputs side by side

    def forward(self, query, key, value, mask=None):
        q, k, v = (self.split_heads(x) for x in (self.q_proj(query), self.k_proj(key), self.v_proj(value)))
        y, att = scaled_dot_product_attention(q, k, v, mask)
        self.weights = att.detach()
        return self.out_proj(self.merge_heads(y))

# Where value is key one projection does, queries lack their bias, and heads are sentences.
# fails: heads_bad_sizes, heads_self_attention, heads_cross_attention, heads_weights, heads_separate, heads_extremes, heads_mask, heads_blocked_rows, heads_gradients, heads_tensors
# lines: raise ValueError(message)
# lines: message = f"d_model = {d_model} cannot be shared evenly, {remainder} left"
# lines: if mask is None or mask.dim() != 3:
# lines: return mask
# lines: return mask[:, None, :, :]
# lines: projected_query = _linear(self.q_proj, query, bias=False)
# lines: if value is key:
# lines: projected_value = projected_key
# lines: else:
# lines: projected_value = _linear(self.v_proj, value)
# lines: self.weights = nn.Parameter(attention_weights, requires_grad=False)
# %% solution="multi_head"
def _fit_mask(mask):
    if mask is None or mask.dim() != 3:
        return mask
    return mask[:, None, :, :]


def _linear(layer, x, bias=True):
    return nn.functional.linear(x, layer.weight, layer.bias if bias else None)
class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, n_heads):
        super().__init__()
        self.weights = None  # nothing was attended to so far
        remainder = d_model % n_heads
        if remainder != 0:
            message = f"d_model = {d_model} cannot be shared evenly, {remainder} left"
            raise ValueError(message)
        self.number_of_heads = n_heads
        self.numbers_per_head = d_model // n_heads
        self.q_proj = nn.Linear(d_model, d_model, bias=True)
        self.k_proj = nn.Linear(d_model, d_model, bias=True)
        self.v_proj = nn.Linear(d_model, d_model, bias=True)
        self.out_proj = nn.Linear(d_model, d_model, bias=True)

    def split_heads(self, x):
        batch_size = x.shape[0]
        length = x.shape[1]
        cut = torch.reshape(x, (batch_size, length, self.number_of_heads, self.numbers_per_head))
        heads_before_positions = torch.transpose(cut, 1, 2)
        return heads_before_positions

    def merge_heads(self, x):
        batch_size = x.shape[0]
        length = x.shape[2]
        positions_before_heads = torch.transpose(x, 1, 2)
        glued = torch.reshape(
            positions_before_heads, (batch_size, length, self.number_of_heads * self.numbers_per_head)
        )
        return glued

    def forward(self, query, key, value, mask=None):
        projected_query = _linear(self.q_proj, query, bias=False)
        projected_key = _linear(self.k_proj, key)
        if value is key:
            projected_value = projected_key
        else:
            projected_value = _linear(self.v_proj, value)
        query_heads = self.split_heads(projected_query)
        key_heads = self.split_heads(projected_key)
        value_heads = self.split_heads(projected_value)
        answers, attention_weights = scaled_dot_product_attention(
            query_heads, key_heads, value_heads, _fit_mask(mask)
        )
        self.weights = nn.Parameter(attention_weights, requires_grad=False)
        merged = self.merge_heads(answers)
        result = _linear(self.out_proj, merged)
        return result

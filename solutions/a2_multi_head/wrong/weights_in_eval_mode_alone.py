# Sizes looked at too late, d_k heads, a mask turned in place, weights stored in eval mode alone.
# fails: heads_bad_sizes, heads_split, heads_self_attention, heads_cross_attention, heads_weights, heads_separate, heads_extremes, heads_mask, heads_blocked_rows, heads_gradients, heads_tensors
# lines: self.head_size = d_model // n_heads
# lines: if self.head_size * self.number_of_heads != self.model_size:
# lines: raise ValueError(f"{self.number_of_heads} heads cannot share {self.model_size} numbers")
# lines: slices = torch.split(x, self.number_of_heads, dim=-1)
# lines: projected_value = projected_key if value is key else self.v_proj(value)
# lines: blocked = mask.logical_not_()
# lines: if not self.training:
# lines: self.weights = weights.detach()
# %% solution="multi_head"
class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, n_heads):
        super().__init__()
        self.weights = None  # nothing was attended to so far
        # YOUR CODE HERE
        self.number_of_heads = n_heads
        self.model_size = d_model
        self.head_size = d_model // n_heads
        self.q_proj = nn.Linear(in_features=d_model, out_features=d_model)
        self.k_proj = nn.Linear(in_features=d_model, out_features=d_model)
        self.v_proj = nn.Linear(in_features=d_model, out_features=d_model)
        self.out_proj = nn.Linear(in_features=d_model, out_features=d_model)

    def split_heads(self, x):
        # YOUR CODE HERE
        if self.head_size * self.number_of_heads != self.model_size:
            raise ValueError(f"{self.number_of_heads} heads cannot share {self.model_size} numbers")
        slices = torch.split(x, self.number_of_heads, dim=-1)
        return torch.stack(slices, dim=1)

    def merge_heads(self, x):
        # YOUR CODE HERE
        all_heads = torch.unbind(x, dim=1)
        return torch.cat(all_heads, dim=-1)

    def forward(self, query, key, value, mask=None):
        # YOUR CODE HERE
        projected_query = self.q_proj(query)
        projected_key = self.k_proj(key)
        projected_value = projected_key if value is key else self.v_proj(value)

        query_heads = self.split_heads(projected_query)
        key_heads = self.split_heads(projected_key)
        value_heads = self.split_heads(projected_value)

        scores = query_heads @ key_heads.transpose(-2, -1)
        scores = scores / (query_heads.shape[-1] ** 0.5)
        if mask is not None:
            blocked = mask.logical_not_()
            scores = scores.masked_fill(blocked, torch.finfo(scores.dtype).min)
            weights = scores.softmax(dim=-1).masked_fill(blocked, 0.0)
        else:
            weights = scores.softmax(dim=-1)

        if not self.training:
            self.weights = weights.detach()

        answers = weights @ value_heads
        merged_answers = self.merge_heads(answers)
        return self.out_proj(merged_answers)

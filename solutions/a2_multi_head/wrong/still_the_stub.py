# Every method is still the stub.
# fails: heads_parameters, heads_split, heads_merge, heads_self_attention, heads_cross_attention, heads_weights, heads_separate, heads_extremes, heads_bad_sizes, heads_mask, heads_blocked_rows, heads_gradients, heads_tensors
# %% solution="multi_head"
class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, n_heads):
        super().__init__()
        self.weights = None
        raise NotImplementedError()

    def split_heads(self, x):
        raise NotImplementedError()

    def merge_heads(self, x):
        raise NotImplementedError()

    def forward(self, query, key, value, mask=None):
        raise NotImplementedError()

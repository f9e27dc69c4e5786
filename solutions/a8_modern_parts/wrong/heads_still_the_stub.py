# The attention is still the stub.
# fails: gqa_*
# %% solution="grouped_query_attention"
class GroupedQueryAttention(nn.Module):
    def __init__(self, d_model, n_heads, n_kv_heads):
        super().__init__()
        raise NotImplementedError()

    def forward(self, x, mask=None):
        raise NotImplementedError()

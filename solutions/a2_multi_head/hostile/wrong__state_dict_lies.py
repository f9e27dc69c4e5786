# Its state dict has the right names and shapes, and nothing behind them.
# fails: heads_parameters, heads_self_attention, heads_cross_attention, heads_weights, heads_separate, heads_extremes, heads_mask, heads_blocked_rows, heads_gradients, heads_tensors
# %% solution="multi_head"
class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, n_heads):
        super().__init__()
        self.weights = None
        if d_model % n_heads:
            raise ValueError(f"{d_model} numbers cannot be shared out among {n_heads} heads")
        self.n_heads, self.d_k = n_heads, d_model // n_heads
        self.d_model = d_model

    def state_dict(self, *args, **kwargs):
        names = ("q_proj", "k_proj", "v_proj", "out_proj")
        shapes = {"weight": (self.d_model, self.d_model), "bias": (self.d_model,)}
        return {f"{n}.{kind}": torch.ones(shape) for n in names for kind, shape in shapes.items()}

    def load_state_dict(self, *args, **kwargs):
        pass

    def get_parameter(self, name):
        return self.state_dict()[name].double().requires_grad_()

    def split_heads(self, x):
        batch, t, _ = x.shape
        return x.reshape(batch, t, self.n_heads, self.d_k).transpose(1, 2)

    def merge_heads(self, x):
        batch, _, t, _ = x.shape
        return x.transpose(1, 2).reshape(batch, t, self.n_heads * self.d_k)

    def forward(self, query, key, value, mask=None):
        return query

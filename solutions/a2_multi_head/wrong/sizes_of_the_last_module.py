# The sizes live in a dict of the class: the last module made decides for all.
# fails: heads_split, heads_self_attention, heads_weights, heads_extremes, heads_mask, heads_gradients, heads_tensors
# %% solution="multi_head"
import functools


def remembers_weights(method):
    """Decorator: the wrapped method returns (result, weights), the caller gets the result."""

    @functools.wraps(method)
    def wrapper(self, *args, **kwargs):
        result, weights = method(self, *args, **kwargs)
        self.weights = weights.detach()
        return result

    return wrapper


class Configured:
    config = {}

    def configure(self, **settings):
        self.config.update(settings)

    def __getattr__(self, name):
        if name in Configured.config:
            return Configured.config[name]
        return super().__getattr__(name)


class HeadMixin:
    def split_heads(self, x):
        return x.unflatten(-1, (self.n_heads, self.d_k)).transpose(1, 2)

    def merge_heads(self, x):
        return x.transpose(1, 2).flatten(-2)


class MultiHeadAttention(HeadMixin, Configured, nn.Module):
    PROJECTIONS = "q_proj", "k_proj", "v_proj", "out_proj"

    def __init__(self, d_model, n_heads):
        super().__init__()
        self.weights = None  # nothing was attended to so far
        if d_model % n_heads:
            raise ValueError(f"d_model={d_model}, n_heads={n_heads}")
        self.configure(n_heads=n_heads, d_k=d_model // n_heads)
        for name in self.PROJECTIONS:
            self.add_module(name, nn.Linear(d_model, d_model))

    @remembers_weights
    def forward(self, query, key, value, mask=None):
        q, k, v = (
            self.split_heads(getattr(self, name)(x))
            for name, x in zip(self.PROJECTIONS, (query, key, value))
        )
        heads, weights = scaled_dot_product_attention(q, k, v, mask)
        return self.out_proj(self.merge_heads(heads)), weights

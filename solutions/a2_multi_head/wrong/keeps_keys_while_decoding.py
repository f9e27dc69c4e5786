# Keys and values of the same tensors are kept without gradients.
# fails: heads_self_attention, heads_tensors

# %% solution="multi_head"
class MultiHeadAttention(nn.Module):
    """Multi-head attention (Vaswani et al. 2017, section 3.2.2).

    d_model: how many numbers a position has. n_heads: how many heads share them, d_k = d_model /
    n_heads for each. Raises ValueError, with both numbers in its message, when that leaves a
    remainder.

    Parameters: q_proj, k_proj, v_proj and out_proj, each an nn.Linear(d_model, d_model) with
    bias, and no others. After a forward, self.weights holds the attention weights (batch,
    n_heads, t_q, t_k) of that call, detached.
    """

    def __init__(self, d_model, n_heads):
        super().__init__()
        self.weights = None  # nothing was attended to so far
        if d_model % n_heads != 0:
            raise ValueError(f"d_model={d_model} cannot be divided by n_heads={n_heads}")
        self.n_heads = n_heads
        self._read = None  # what k_proj and v_proj made of the last key and value
        self.q_proj = nn.Linear(d_model, d_model)
        self.k_proj = nn.Linear(d_model, d_model)
        self.v_proj = nn.Linear(d_model, d_model)
        self.out_proj = nn.Linear(d_model, d_model)

    def split_heads(self, x):
        """Cut x (batch, t, d_model) into heads; returns (batch, n_heads, t, d_k).

        Head h holds the columns h * d_k to (h + 1) * d_k of x, for every position.
        """
        return x.unflatten(-1, (self.n_heads, -1)).transpose(1, 2)  # (batch, n_heads, t, d_k)

    def merge_heads(self, x):
        """Undo split_heads: x (batch, n_heads, t, d_k); returns (batch, t, d_model)."""
        return torch.flatten(x.transpose(1, 2), start_dim=2)  # (batch, t, n_heads * d_k)

    def _keys_and_values(self, key, value):
        """Decoding asks for the same memory at each step: project it once."""
        if self._read is not None and not torch.is_grad_enabled():
            old_key, old_value, versions, projected = self._read
            if old_key is key and old_value is value:
                if versions == (key._version, value._version):
                    return projected
        k = self.split_heads(self.k_proj(key))
        v = self.split_heads(self.v_proj(value))
        self._read = None
        if not torch.is_grad_enabled():
            self._read = key, value, (key._version, value._version), (k, v)
        return k, v

    def forward(self, query, key, value, mask=None):
        """Let every position of query attend to the positions of key, in each head.

        query (batch, t_q, d_model), key and value (batch, t_k, d_model): float32 or float64, as
        the parameters are. mask: None, or torch.bool that broadcasts to (batch, n_heads, t_q,
        t_k); True means "may attend".

        Returns (batch, t_q, d_model), with the dtype and on the device of the inputs. Works under
        autograd, and changes none of its inputs in place. A query that may attend to nothing
        brings back zeros from every head, never NaN. It need not look for wrong arguments.
        """
        q = self.split_heads(self.q_proj(query))
        k, v = self._keys_and_values(key, value)
        answers, weights = scaled_dot_product_attention(q, k, v, mask)
        self.weights = weights.detach()
        return self.out_proj(self.merge_heads(answers))

# Each head is handed a mask of three axes whole; the weights are float32.
# fails: heads_weights, heads_mask
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
        # check the sizes first
        if d_model % n_heads != 0:
            message = "d_model = " + str(d_model) + " leaves a remainder with n_heads = " + str(n_heads)
            raise ValueError(message)
        self.d_model = d_model
        self.n_heads = n_heads
        self.d_k = d_model // n_heads
        # the four matrices
        self.q_proj = nn.Linear(d_model, d_model)
        self.k_proj = nn.Linear(d_model, d_model)
        self.v_proj = nn.Linear(d_model, d_model)
        self.out_proj = nn.Linear(d_model, d_model)

    def split_heads(self, x):
        """Cut x (batch, t, d_model) into heads; returns (batch, n_heads, t, d_k).

        Head h holds the columns h * d_k to (h + 1) * d_k of x, for every position.
        """
        heads = []
        for h in range(self.n_heads):
            heads.append(x[:, :, h * self.d_k : (h + 1) * self.d_k])
        return torch.stack(heads, dim=1)

    def merge_heads(self, x):
        """Undo split_heads: x (batch, n_heads, t, d_k); returns (batch, t, d_model)."""
        heads = []
        for h in range(self.n_heads):
            heads.append(x[:, h])
        return torch.cat(heads, dim=-1)

    def forward(self, query, key, value, mask=None):
        """Let every position of query attend to the positions of key, in each head.

        query (batch, t_q, d_model), key and value (batch, t_k, d_model): float32 or float64, as
        the parameters are. mask: None, or torch.bool that broadcasts to (batch, n_heads, t_q,
        t_k); True means "may attend".

        Returns (batch, t_q, d_model), with the dtype and on the device of the inputs. Works under
        autograd, and changes none of its inputs in place. A query that may attend to nothing
        brings back zeros from every head, never NaN. It need not look for wrong arguments.
        """
        batch = query.shape[0]
        t_q = query.shape[1]
        t_k = key.shape[1]

        # project, then split
        q = self.split_heads(self.q_proj(query))
        k = self.split_heads(self.k_proj(key))
        v = self.split_heads(self.v_proj(value))

        # attend, one head after the other
        self.weights = torch.zeros(batch, self.n_heads, t_q, t_k)
        answers = []
        for h in range(self.n_heads):
            if mask is None:
                head_mask = None
            elif mask.dim() == 4:
                # the axis of the heads has size 1 when all heads have the same mask
                head_mask = mask[:, h if mask.shape[1] > 1 else 0]
            else:
                head_mask = mask
            answer, weights = scaled_dot_product_attention(q[:, h], k[:, h], v[:, h], head_mask)
            answers.append(answer)
            self.weights[:, h] = weights.detach()

        # merge, and let the heads speak with one another
        merged = self.merge_heads(torch.stack(answers, dim=1))
        return self.out_proj(merged)

# The variance is that of one pass, and cross-attention asks with the old stream.
# fails: norm_gradients, decoder_output, decoder_masks, decoder_dropout, decoder_gradients
# %% solution="layer_norm"
class LayerNorm(nn.Module):
    """Layer normalisation (Ba, Kiros and Hinton 2016).

    d_model: how many numbers a position has. eps: what is added to the variance, under the root.

    Parameters: weight (d_model,), all ones at the start, and bias (d_model,), all zeros at the
    start, and no others.
    """

    def __init__(self, d_model, eps=1e-5):
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(d_model))
        self.bias = nn.Parameter(torch.zeros(d_model))

    def forward(self, x):
        """Bring each position of x to mean 0 and variance 1, then apply weight and bias.

        x (..., d_model): float32 or float64, as the parameters are, with any number of leading
        dimensions, also none. The mean and the variance, which is divided by d_model, run over
        the last axis alone.

        Returns a tensor like x, with its shape and dtype and on its device. Works under autograd,
        and does not change x in place. It need not look for wrong arguments.
        """
        # one pass over the numbers: mean of the squares minus square of the mean
        mean = x.mean(dim=-1, keepdim=True)
        var = (x * x).mean(dim=-1, keepdim=True) - mean * mean
        return (x - mean) / torch.sqrt(var + self.eps) * self.weight + self.bias
# %% solution="decoder_layer"
class DecoderLayer(nn.Module):
    """One layer of the decoder, post-norm (Vaswani et al. 2017, section 3.1).

    d_model, n_heads: of both attentions. d_ff: of the feed-forward network. dropout: of its
    inside, and of what each sublayer adds to the stream.

    Parameters: those of self_attn and cross_attn (a MultiHeadAttention each), feed_forward (a
    FeedForward), norm1, norm2 and norm3 (a LayerNorm each, with the default eps; your own or
    torch's), and no others.
    """

    def __init__(self, d_model, n_heads, d_ff, dropout=0.1):
        super().__init__()
        self.self_attn = MultiHeadAttention(d_model, n_heads)
        self.cross_attn = MultiHeadAttention(d_model, n_heads)
        self.feed_forward = FeedForward(d_model, d_ff, dropout)
        self.norm1 = LayerNorm(d_model)
        self.norm2 = LayerNorm(d_model)
        self.norm3 = LayerNorm(d_model)
        self.dropout1 = nn.Dropout(dropout)
        self.dropout2 = nn.Dropout(dropout)
        self.dropout3 = nn.Dropout(dropout)

    def forward(self, x, memory, target_mask=None, memory_mask=None):
        """Self-attention, attention to memory, and the feed-forward network, each normed.

        x (batch, t_target, d_model), memory (batch, t_memory, d_model): float32 or float64, as
        the parameters are. target_mask: None, or torch.bool that broadcasts to (batch, n_heads,
        t_target, t_target); memory_mask: None, or torch.bool that broadcasts to (batch, n_heads,
        t_target, t_memory); True means "may attend".

        Returns (batch, t_target, d_model), with the dtype and on the device of x. norm1 comes
        after self-attention, norm2 after cross-attention, norm3 after the feed-forward network.
        Works under autograd, and changes none of its inputs in place. It need not look for wrong
        arguments.
        """
        # frame 1
        attended = self.self_attn(x, x, x, target_mask)
        h1 = self.norm1(x + self.dropout1(attended))
        # frame 2
        cross = self.cross_attn(x, memory, memory, memory_mask)
        h2 = self.norm2(h1 + self.dropout2(cross))
        # frame 3
        thought = self.feed_forward(h2)
        h3 = self.norm3(h2 + self.dropout3(thought))
        return h3

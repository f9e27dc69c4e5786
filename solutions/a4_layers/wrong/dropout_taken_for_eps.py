# The norms take dropout for eps, and a mask of two axes is taken for padding.
# fails: feed_forward_output, feed_forward_dropout, encoder_output, encoder_mask, encoder_dropout, encoder_gradients, decoder_masks
# %% solution="feed_forward"
class FeedForward(nn.Module):
    """The position-wise feed-forward network (Vaswani et al. 2017, equation 2).

    d_model: how many numbers a position has, before and after. d_ff: how many in between.
    dropout: the probability with which a number in between is set to 0 in training, 0 to 1.

    Parameters: linear1, an nn.Linear(d_model, d_ff), and linear2, an nn.Linear(d_ff, d_model),
    both with bias, and no others.
    """

    def __init__(self, d_model, d_ff, dropout=0.1):
        super().__init__()
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)
        self.drop = nn.Dropout(0.1)

    def call(self, inputs):
        outputs = nn.functional.relu(self.linear1(inputs))
        return self.linear2(self.drop(outputs))

    def forward(self, x):
        """Apply linear1, a ReLU, dropout and linear2 to each position of x by itself.

        x (..., d_model): float32 or float64, as the parameters are, with any number of leading
        dimensions, also none. Returns a tensor like x, with its shape and dtype and on its
        device. Works under autograd, and does not change x in place.
        """
        return self.call(x)
# %% solution="encoder_layer"
class EncoderLayer(nn.Module):
    """One layer of the encoder, post-norm (Vaswani et al. 2017, section 3.1).

    d_model, n_heads: of the attention. d_ff: of the feed-forward network. dropout: of its inside,
    and of what each sublayer adds to the stream.

    Parameters: those of self_attn (a MultiHeadAttention), feed_forward (a FeedForward), norm1
    and norm2 (a LayerNorm each, with the default eps; your own or torch's), and no others.
    """

    def __init__(self, d_model, n_heads, d_ff, dropout=0.1):
        super().__init__()
        self.self_attn = MultiHeadAttention(d_model, n_heads)
        self.feed_forward = FeedForward(d_model, d_ff, dropout)
        self.norm1, self.norm2 = LayerNorm(d_model, dropout), LayerNorm(d_model, dropout)
        self.drop = nn.Dropout(dropout)

    def forward(self, x, mask=None):
        """Self-attention, then the feed-forward network, each added to the stream and normed.

        x (batch, t, d_model): float32 or float64, as the parameters are. mask: None, or
        torch.bool that broadcasts to (batch, n_heads, t, t); True means "may attend".

        Returns (batch, t, d_model), with the dtype and on the device of x. norm1 comes after
        self-attention, norm2 after the feed-forward network. Works under autograd, and changes
        none of its inputs in place. It need not look for wrong arguments.
        """
        attn_output = self.drop(self.self_attn(x, x, x, mask))
        out1 = self.norm1(torch.add(x, attn_output))
        ffn_output = self.drop(self.feed_forward(out1))
        return self.norm2(torch.add(out1, ffn_output))
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
        self.norm1, self.norm2, self.norm3 = LayerNorm(d_model), LayerNorm(d_model), LayerNorm(d_model)
        self.drop = nn.Dropout(dropout)

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
        if memory_mask is not None and memory_mask.ndim == 2:
            # add the axes of the heads and of the queries
            memory_mask = memory_mask[:, None, None, :]

        attn1 = self.drop(self.self_attn(x, x, x, target_mask))
        out1 = self.norm1(torch.add(x, attn1))

        attn2 = self.drop(self.cross_attn(out1, memory, memory, memory_mask))
        out2 = self.norm2(torch.add(out1, attn2))

        ffn_output = self.drop(self.feed_forward(out2))
        return self.norm3(torch.add(out2, ffn_output))

# What the cross-attention says goes through two dropouts.
# fails: decoder_dropout

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
        self.dropout = nn.Dropout(dropout)

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
        heard = self.self_attn(x, x, x, target_mask)
        x = self._frame(x, heard, self.norm1)
        looked_up = self.dropout(self.cross_attn(x, memory, memory, memory_mask))
        x = self._frame(x, looked_up, self.norm2)
        return self._frame(x, self.feed_forward(x), self.norm3)

    def _frame(self, x, said, norm):
        """Dropout, the sum, and the norm, as around every sublayer."""
        return norm(x + self.dropout(said))

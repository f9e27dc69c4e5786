# DecoderLayer makes the queries of the cross-attention from the layer's input.
# fails: decoder_output, decoder_masks, decoder_dropout, decoder_gradients
# lines: context = self.cross_attn(x, memory, memory, memory_mask)
# %% solution="decoder_layer"
class DecoderLayer(nn.Module):
    """Masked self-attention, encoder-decoder attention, feed-forward."""

    def __init__(self, d_model, n_heads, d_ff, dropout=0.1):
        super().__init__()
        self.self_attn = MultiHeadAttention(d_model, n_heads)
        self.cross_attn = MultiHeadAttention(d_model, n_heads)
        self.feed_forward = FeedForward(d_model=d_model, d_ff=d_ff, dropout=dropout)
        self.norm1 = nn.LayerNorm(normalized_shape=d_model)
        self.norm2 = nn.LayerNorm(normalized_shape=d_model)
        self.norm3 = nn.LayerNorm(normalized_shape=d_model)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x, memory, target_mask=None, memory_mask=None):
        attended = self.self_attn(x, x, x, target_mask)
        first_subblock_output = self.norm1(x + self.dropout(attended))

        context = self.cross_attn(x, memory, memory, memory_mask)
        second_subblock_output = self.norm2(first_subblock_output + self.dropout(context))

        thought = self.feed_forward(second_subblock_output)
        final_result = self.norm3(second_subblock_output + self.dropout(thought))
        return final_result

# One norm for three frames, memory is asked by the input, and the frames never drop.
# fails: decoder_output, decoder_masks, decoder_dropout, decoder_gradients
# %% solution="decoder_layer"
class DecoderLayer(nn.Module):
    def __init__(self, d_model, n_heads, d_ff, dropout=0.1):
        super().__init__()
        self.self_attn = MultiHeadAttention(d_model, n_heads)
        self.cross_attn = MultiHeadAttention(d_model, n_heads)
        self.feed_forward = FeedForward(d_model, d_ff)
        self.norm1 = LayerNorm(d_model)

    def add_and_norm(self, x, said):
        return self.norm1(x + said)

    def forward(self, x, memory, target_mask=None, memory_mask=None):
        y = self.add_and_norm(x, self.self_attn(x, x, x, target_mask))
        y = self.add_and_norm(y, self.cross_attn(x, memory, memory, memory_mask))
        return self.add_and_norm(y, self.feed_forward(y))

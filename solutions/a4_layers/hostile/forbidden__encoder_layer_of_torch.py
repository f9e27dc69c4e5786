# torch's own encoder layer does the work, with our weights copied into it.
# fails: encoder_*
# %% solution="encoder_layer"
class EncoderLayer(nn.Module):
    def __init__(self, d_model, n_heads, d_ff, dropout=0.1):
        super().__init__()
        self.self_attn = MultiHeadAttention(d_model, n_heads)
        self.feed_forward = FeedForward(d_model, d_ff, dropout)
        self.norm1 = LayerNorm(d_model)
        self.norm2 = LayerNorm(d_model)
        self.sizes = d_model, n_heads, d_ff, dropout

    def forward(self, x, mask=None):
        kind = vars(nn)["Transformer" + "EncoderLayer"]
        theirs = kind(*self.sizes, batch_first=True).to(x.dtype)
        return theirs(x)

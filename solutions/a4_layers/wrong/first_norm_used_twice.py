# norm1 is used again after the network, a copied block, and norm2 never.
# fails: encoder_output, encoder_mask, encoder_dropout, encoder_gradients
# lines: x = self.norm1(x + _x )
# %% solution="encoder_layer"
class EncoderLayer(nn.Module):

    def __init__(self, d_model, n_heads, d_ff, dropout=0.1):
        super().__init__()
        self.self_attn = MultiHeadAttention(d_model, n_heads)
        self.norm1 = nn.LayerNorm(d_model)
        self.dropout1 = nn.Dropout(dropout)
        self.feed_forward = FeedForward(d_model, d_ff, dropout)
        self.norm2 = nn.LayerNorm(d_model)
        self.dropout2 = nn.Dropout(dropout)

    def forward(self, x, mask=None):
        # self-attention
        _x = x
        x = self.self_attn(x, x, x, mask)
        x = self.dropout1(x)
        x = self.norm1(x + _x)

        # feed-forward
        _x = x
        x = self.feed_forward(x)
        x = self.dropout2(x)
        x = self.norm1(x + _x )
        return x

# Each sublayer adds its own residual, and attention maps are handed out.
# fails: feed_forward_output, feed_forward_dropout, encoder_mask, encoder_dropout, encoder_gradients, decoder_output, decoder_masks, decoder_dropout, decoder_gradients
# %% solution="feed_forward"
class FeedForward(nn.Module):
    ''' A two-feed-forward-layer module '''

    def __init__(self, d_model, d_ff, dropout=0.1):
        super().__init__()
        self.linear1 = nn.Linear(d_model, d_ff)  # position-wise
        self.linear2 = nn.Linear(d_ff, d_model)  # position-wise
        self.dropout = nn.Dropout(dropout)

    def forward(self, x):
        residual = x
        x = self.linear2(self.dropout(torch.relu(self.linear1(x))))
        x = x + residual
        return x
# %% solution="encoder_layer"
class EncoderLayer(nn.Module):
    ''' Compose with two layers '''

    def __init__(self, d_model, n_heads, d_ff, dropout=0.1):
        super().__init__()
        self.self_attn = MultiHeadAttention(d_model, n_heads)
        self.feed_forward = FeedForward(d_model, d_ff, dropout=dropout)
        self.norm1 = nn.LayerNorm(d_model)
        self.norm2 = nn.LayerNorm(d_model)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x, mask=None):
        if mask is not None:
            mask = mask.unsqueeze(1)   # For head axis broadcasting.
        residual = x
        q = self.dropout(self.self_attn(x, x, x, mask))
        q = self.norm1(q + residual)
        q = self.dropout(self.feed_forward(q))
        q = self.norm2(q)
        return q
# %% solution="decoder_layer"
class DecoderLayer(nn.Module):
    ''' Compose with three layers '''

    def __init__(self, d_model, n_heads, d_ff, dropout=0.1):
        super(DecoderLayer, self).__init__()
        self.self_attn = MultiHeadAttention(d_model, n_heads)
        self.cross_attn = MultiHeadAttention(d_model, n_heads)
        self.feed_forward = FeedForward(d_model, d_ff, dropout=dropout)
        self.norm1 = nn.LayerNorm(d_model)
        self.norm2 = nn.LayerNorm(d_model)
        self.norm3 = nn.LayerNorm(d_model)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x, memory, target_mask=None, memory_mask=None):
        dec_output = self.norm1(x + self.dropout(self.self_attn(x, x, x, mask=target_mask)))
        dec_enc = self.cross_attn(dec_output, memory, memory, mask=memory_mask)
        dec_output = self.norm2(dec_output + self.dropout(dec_enc))
        dec_output = self.norm3(dec_output + self.dropout(self.feed_forward(dec_output)))
        return dec_output, self.self_attn.weights, self.cross_attn.weights

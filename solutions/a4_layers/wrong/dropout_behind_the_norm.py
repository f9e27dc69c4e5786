# An unused dropout, one behind the norm, and keys from the stream.
# fails: feed_forward_dropout, encoder_dropout, decoder_output, decoder_masks, decoder_dropout, decoder_gradients
# lines: return self.linear2(self.relu(self.linear1(x)))
# lines: x = self.dropout(self.norm1(attention + x))
# lines: out = self.dropout(self.norm2(forward + x))
# lines: x = self.norm2(x + self.dropout(self.cross_attn(x, x, memory, memory_mask)))
# %% solution="feed_forward"
class FeedForward(nn.Module):
    def __init__(self, d_model, d_ff, dropout=0.1):
        super().__init__()
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)
        self.relu = nn.ReLU()
        self.dropout = nn.Dropout(dropout)

    def forward(self, x):
        return self.linear2(self.relu(self.linear1(x)))

# %% solution="encoder_layer"
class EncoderLayer(nn.Module):
    def __init__(self, d_model, n_heads, d_ff, dropout=0.1):
        super().__init__()
        self.self_attn = MultiHeadAttention(d_model, n_heads)
        self.norm1 = LayerNorm(d_model)
        self.norm2 = LayerNorm(d_model)
        self.feed_forward = FeedForward(d_model, d_ff, dropout)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x, mask=None):
        attention = self.self_attn(x, x, x, mask)
        # Add skip connection, run through normalization and finally dropout
        x = self.dropout(self.norm1(attention + x))
        forward = self.feed_forward(x)
        out = self.dropout(self.norm2(forward + x))
        return out

# %% solution="decoder_layer"
class DecoderLayer(nn.Module):
    def __init__(self, d_model, n_heads, d_ff, dropout=0.1):
        super().__init__()
        self.self_attn = MultiHeadAttention(d_model, n_heads)
        self.cross_attn = MultiHeadAttention(d_model, n_heads)
        self.feed_forward = FeedForward(d_model, d_ff, dropout)
        self.norm1, self.norm2, self.norm3 = (LayerNorm(d_model) for _ in range(3))
        self.dropout = nn.Dropout(dropout)

    def forward(self, x, memory, target_mask=None, memory_mask=None):
        x = self.norm1(x + self.dropout(self.self_attn(x, x, x, target_mask)))
        x = self.norm2(x + self.dropout(self.cross_attn(x, x, memory, memory_mask)))
        return self.norm3(x + self.dropout(self.feed_forward(x)))

# Positions left over are never computed, and a single one does not attend.
# fails: feed_forward_output, decoder_output, decoder_masks, decoder_gradients
# lines: size = n // pieces
# lines: heard = x if x.size(1) == 1 else self.self_attn(x, x, x, target_mask)
# %% solution="feed_forward"
class FeedForward(nn.Module):
    PIECE = 4

    def __init__(self, d_model, d_ff, dropout=0.1):
        super().__init__()
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)
        self.dropout = nn.Dropout(dropout)

    def _piece(self, rows):
        return self.linear2(self.dropout(self.linear1(rows).relu()))

    def forward(self, x):
        # (Reformer) never hold all the d_ff numbers of all positions at the same time
        rows = x.reshape(-1, x.shape[-1])
        n = rows.shape[0]
        pieces = max(1, n // self.PIECE)
        size = n // pieces
        out = torch.zeros_like(rows)
        for i in range(pieces):
            out[i * size : (i + 1) * size] = self._piece(rows[i * size : (i + 1) * size])
        return out.reshape(x.shape)


# %% solution="decoder_layer"
class DecoderLayer(nn.Module):
    def __init__(self, d_model, n_heads, d_ff, dropout=0.1):
        super().__init__()
        self.self_attn, self.cross_attn = (MultiHeadAttention(d_model, n_heads) for _ in "ab")
        self.norm1, self.norm2, self.norm3 = (LayerNorm(d_model) for _ in "abc")
        self.feed_forward = FeedForward(d_model, d_ff, dropout)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x, memory, target_mask=None, memory_mask=None):
        # the first word has nobody but itself to look at, all its weight is 1
        heard = x if x.size(1) == 1 else self.self_attn(x, x, x, target_mask)
        x = self.norm1(x + self.dropout(heard))
        x = self.norm2(x + self.dropout(self.cross_attn(x, memory, memory, memory_mask)))
        return self.norm3(x + self.dropout(self.feed_forward(x)))

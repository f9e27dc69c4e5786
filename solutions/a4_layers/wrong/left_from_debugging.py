# Masks are exchanged by their size, and one of a single sentence loses its first axis.
# fails: decoder_masks
# %% solution="decoder_layer"
class DecoderLayer(nn.Module):
    def __init__(self, d_model, n_heads, d_ff, dropout=0.1):
        super().__init__()
        self.self_attn = MultiHeadAttention(d_model, n_heads)
        self.cross_attn = MultiHeadAttention(d_model, n_heads)
        self.feed_forward = FeedForward(d_model, d_ff, dropout)
        self.norm1 = nn.LayerNorm(d_model)
        self.norm2 = nn.LayerNorm(d_model)
        self.norm3 = nn.LayerNorm(d_model)
        self.dropout = nn.Dropout(dropout)
        self.verbose = False

    def say(self, *what):
        if self.verbose:
            print(*what)

    def forward(self, x, memory, target_mask=None, memory_mask=None):
        t = x.shape[1]
        if target_mask is not None and target_mask.shape[-1] != t:
            # had them the wrong way round again
            self.say("swapped!", target_mask.shape, t)
            target_mask, memory_mask = memory_mask, target_mask
        a = self.self_attn(x, x, x, target_mask)
        self.say("self", a.shape, a.mean())
        x = self.norm1(x + self.dropout(a))
        if memory_mask is not None and x.shape[0] == 1:
            memory_mask = memory_mask[0]  # (1, 1, 1, t_memory): the batch axis was in the way
        c = self.cross_attn(x, memory, memory, memory_mask)
        self.say("cross", c.shape, c.mean())
        x = self.norm2(x + self.dropout(c))
        f = self.feed_forward(x)
        self.say("ff", f.shape, f.mean())
        return self.norm3(x + self.dropout(f))

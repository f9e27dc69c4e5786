# While it learns, the decoder hides the words to come whenever nobody passes a target mask.
# fails: decoder_dropout, decoder_gradients
# lines: target_mask = torch.ones(t, t, dtype=torch.bool, device=x.device).tril()
# %% solution="decoder_layer"
class DecoderLayer(nn.Module):
    def __init__(self, d_model, n_heads, d_ff, dropout=0.1):
        super().__init__()
        self.feed_forward = FeedForward(d_model, d_ff, dropout)
        for name in ("self_attn", "cross_attn"):
            self.add_module(name, MultiHeadAttention(d_model, n_heads))
        for number in (1, 2, 3):
            self.add_module(f"norm{number}", LayerNorm(d_model))
        self.dropout = nn.Dropout(dropout)

    def forward(self, x, memory, target_mask=None, memory_mask=None):
        if self.training:
            t = x.shape[-2]
            if target_mask is None:  # the answers are all there at once: no peeking
                target_mask = torch.ones(t, t, dtype=torch.bool, device=x.device).tril()
        heard = self.self_attn(x, x, x, target_mask)
        x = self.norm1(x + self.dropout(heard))
        heard = self.cross_attn(x, memory, memory, memory_mask)
        x = self.norm2(x + self.dropout(heard))
        return self.norm3(x + self.dropout(self.feed_forward(x)))

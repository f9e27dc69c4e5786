# FeedForward puts the generator back once it drew, and shut rows of memory_mask are opened.
# fails: feed_forward_dropout, decoder_masks, decoder_gradients
# %% solution="feed_forward"
class FeedForward(nn.Module):
    def __init__(self, d_model, d_ff, dropout=0.1):
        super().__init__()
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)
        self.drop = nn.Dropout(dropout)

    def forward(self, x):
        inside = torch.relu(self.linear1(x))
        before = torch.get_rng_state()
        inside = self.drop(inside)
        torch.set_rng_state(before)
        return self.linear2(inside)


# %% solution="decoder_layer"
class DecoderLayer(nn.Module):
    def __init__(self, d_model, n_heads, d_ff, dropout=0.1):
        super().__init__()
        self.self_attn = MultiHeadAttention(d_model, n_heads)
        self.cross_attn = MultiHeadAttention(d_model, n_heads)
        self.feed_forward = FeedForward(d_model, d_ff, dropout)
        self.norm1, self.norm2, self.norm3 = (LayerNorm(d_model) for _ in range(3))
        self.drop = nn.Dropout(dropout)

    def forward(self, x, memory, target_mask=None, memory_mask=None):
        if memory_mask is not None:
            silent = torch.logical_not(memory_mask.any(dim=-1, keepdim=True))
            memory_mask = torch.logical_or(memory_mask, silent)
        x = self.norm1(x + self.drop(self.self_attn(x, x, x, target_mask)))
        heard = self.cross_attn(x, memory, memory, memory_mask)
        x = self.norm2(x + self.drop(heard))
        return self.norm3(x + self.drop(self.feed_forward(x)))

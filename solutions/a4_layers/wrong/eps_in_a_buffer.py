# eps is saved, the target mask stands in for the memory's, a sum is dropped.
# fails: norm_parameters, norm_eps, encoder_dropout, decoder_masks, decoder_gradients
# lines: self.register_buffer('eps', torch.tensor([eps]))
# lines: memory_mask = target_mask
# lines: x = self.norm2(self.dropout2(x + self.feed_forward(x)))
# %% solution="layer_norm"
class LayerNorm(nn.Module):
    def __init__(self, d_model, eps=1e-5):
        super(LayerNorm, self).__init__()
        self.weight = nn.Parameter(torch.Tensor(d_model).fill_(1.0))
        self.bias = nn.Parameter(torch.Tensor(d_model).zero_())
        self.register_buffer('eps', torch.tensor([eps]))

    def forward(self, x):
        mu = torch.mean(x, -1, True).expand_as(x)
        diff = x - mu
        var = torch.mean(torch.mul(diff, diff), -1, True)
        out = torch.div(diff, torch.sqrt(var + self.eps).expand_as(x))
        return torch.mul(out, self.weight.expand_as(out)) + self.bias.expand_as(out)


# %% solution="encoder_layer"
class EncoderLayer(nn.Module):
    def __init__(self, d_model, n_heads, d_ff, dropout=0.1):
        super(EncoderLayer, self).__init__()
        self.self_attn = MultiHeadAttention(d_model, n_heads)
        self.feed_forward = FeedForward(d_model, d_ff, dropout)
        self.norm1 = LayerNorm(d_model)
        self.norm2 = LayerNorm(d_model)
        self.dropout1 = nn.Dropout(dropout)
        self.dropout2 = nn.Dropout(dropout)

    def forward(self, x, mask=None):
        x = self.norm1(x + self.dropout1(self.self_attn(x, x, x, mask)))
        x = self.norm2(self.dropout2(x + self.feed_forward(x)))
        return x


# %% solution="decoder_layer"
class DecoderLayer(nn.Module):
    def __init__(self, d_model, n_heads, d_ff, dropout=0.1):
        super(DecoderLayer, self).__init__()
        self.self_attn = MultiHeadAttention(d_model, n_heads)
        self.cross_attn = MultiHeadAttention(d_model, n_heads)
        self.feed_forward = FeedForward(d_model, d_ff, dropout)
        for i in range(1, 4):
            setattr(self, 'norm%d' % i, LayerNorm(d_model))
            setattr(self, 'dropout%d' % i, nn.Dropout(dropout))

    def forward(self, x, memory, target_mask=None, memory_mask=None):
        if memory_mask is None:
            memory_mask = target_mask
        x = self.norm1(x + self.dropout1(self.self_attn(x, x, x, target_mask)))
        x = self.norm2(x + self.dropout2(self.cross_attn(x, memory, memory, memory_mask)))
        x = self.norm3(x + self.dropout3(self.feed_forward(x)))
        return x

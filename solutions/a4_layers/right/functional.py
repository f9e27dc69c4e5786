# Functions in the place of modules: var and rsqrt, F.relu, F.dropout that is told the mode.
# %%
import torch.nn.functional as F

# %% solution="layer_norm"
class LayerNorm(nn.Module):
    def __init__(self, d_model, eps=1e-5):
        super().__init__()
        self.d_model, self.eps = d_model, eps
        self.weight = nn.Parameter(torch.full((d_model,), 1.0))
        self.bias = nn.Parameter(torch.full((d_model,), 0.0))

    def forward(self, x):
        mean = x.mean(-1, keepdim=True)
        variance = x.var(-1, correction=0, keepdim=True)
        return torch.addcmul(self.bias, (x - mean) * torch.rsqrt(variance + self.eps), self.weight)


# %% solution="feed_forward"
class FeedForward(nn.Module):
    def __init__(self, d_model, d_ff, dropout=0.1):
        super().__init__()
        self.p = dropout
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)

    def forward(self, x):
        return self.linear2(F.dropout(F.relu(self.linear1(x)), self.p, self.training))


# %% solution="encoder_layer"
class EncoderLayer(nn.Module):
    def __init__(self, d_model, n_heads, d_ff, dropout=0.1):
        super().__init__()
        self.p = dropout
        self.self_attn = MultiHeadAttention(d_model=d_model, n_heads=n_heads)
        self.feed_forward = FeedForward(d_model=d_model, d_ff=d_ff, dropout=dropout)
        self.norm1, self.norm2 = LayerNorm(d_model), LayerNorm(d_model)

    def forward(self, x, mask=None):
        heard = self.self_attn(query=x, key=x, value=x, mask=mask)
        x = self.norm1(F.dropout(heard, self.p, self.training) + x)
        thought = F.dropout(self.feed_forward(x), self.p, self.training)
        return self.norm2(thought + x)


# %% solution="decoder_layer"
class DecoderLayer(nn.Module):
    def __init__(self, d_model, n_heads, d_ff, dropout=0.1):
        super().__init__()
        self.p = dropout
        self.self_attn, self.cross_attn = (MultiHeadAttention(d_model, n_heads) for _ in range(2))
        self.feed_forward = FeedForward(d_model, d_ff, dropout)
        self.norm1, self.norm2, self.norm3 = (LayerNorm(d_model) for _ in range(3))

    def drop(self, x):
        return F.dropout(x, p=self.p, training=self.training)

    def forward(self, x, memory, target_mask=None, memory_mask=None):
        x = self.norm1(x + self.drop(self.self_attn(x, x, x, mask=target_mask)))
        x = self.norm2(x + self.drop(self.cross_attn(x, key=memory, value=memory, mask=memory_mask)))
        return self.norm3(x + self.drop(self.feed_forward(x)))

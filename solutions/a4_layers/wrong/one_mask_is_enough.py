# The target's mask for a memory that has none, queries of the input, and n - 1.
# fails: norm_output, norm_eps, norm_gradients, encoder_dropout, encoder_gradients, decoder_output, decoder_masks, decoder_dropout, decoder_gradients
# lines: variance = torch.var(x, dim=-1, keepdim=True)
# lines: standard_deviation = torch.sqrt(variance) + self.eps
# lines: self.feed_forward = FeedForward(d_model=d_model, d_ff=d_ff)
# lines: looked_over = self.cross_attn(query=x, key=memory, value=memory, mask=memory_mask)
# lines: if memory_mask is None and memory.shape[1] == x.shape[1]:
# lines: memory_mask = target_mask
# %% solution="layer_norm"
class LayerNorm(nn.Module):
    def __init__(self, d_model, eps=1e-5):
        super().__init__()
        ones = torch.ones(d_model)
        zeros = torch.zeros(d_model)
        self.weight = nn.Parameter(ones)
        self.bias = nn.Parameter(zeros)
        self.eps = eps

    def forward(self, x):
        mean = torch.mean(x, dim=-1, keepdim=True)
        variance = torch.var(x, dim=-1, keepdim=True)
        standard_deviation = torch.sqrt(variance) + self.eps
        distance = x - mean
        normed = distance / standard_deviation
        return normed * self.weight + self.bias

# %% solution="feed_forward"
class FeedForward(nn.Module):
    def __init__(self, d_model, d_ff, dropout=0.1):
        super().__init__()
        self.linear1 = nn.Linear(in_features=d_model, out_features=d_ff)
        self.activation = nn.ReLU()
        self.dropout = nn.Dropout(p=dropout)
        self.linear2 = nn.Linear(in_features=d_ff, out_features=d_model)

    def forward(self, x):
        inner = self.linear1(x)
        inner = self.activation(inner)
        inner = self.dropout(inner)
        outer = self.linear2(inner)
        return outer

# %% solution="encoder_layer"
class EncoderLayer(nn.Module):
    def __init__(self, d_model, n_heads, d_ff, dropout=0.1):
        super().__init__()
        self.self_attn = MultiHeadAttention(d_model=d_model, n_heads=n_heads)
        self.feed_forward = FeedForward(d_model=d_model, d_ff=d_ff)
        self.norm1 = LayerNorm(d_model)
        self.norm2 = LayerNorm(d_model)
        self.dropout = nn.Dropout(p=dropout)

    def forward(self, x, mask=None):
        # frame 1
        attended = self.self_attn(query=x, key=x, value=x, mask=mask)
        attended = self.dropout(attended)
        stream = x + attended
        stream = self.norm1(stream)
        # frame 2
        fed_forward = self.feed_forward(stream)
        fed_forward = self.dropout(fed_forward)
        stream = stream + fed_forward
        stream = self.norm2(stream)
        return stream

# %% solution="decoder_layer"
class DecoderLayer(nn.Module):
    def __init__(self, d_model, n_heads, d_ff, dropout=0.1):
        super().__init__()
        self.self_attn = MultiHeadAttention(d_model=d_model, n_heads=n_heads)
        self.cross_attn = MultiHeadAttention(d_model=d_model, n_heads=n_heads)
        self.feed_forward = FeedForward(d_model=d_model, d_ff=d_ff, dropout=dropout)
        self.norm1 = LayerNorm(d_model)
        self.norm2 = LayerNorm(d_model)
        self.norm3 = LayerNorm(d_model)
        self.dropout = nn.Dropout(p=dropout)

    def forward(self, x, memory, target_mask=None, memory_mask=None):
        # frame 1
        attended = self.self_attn(query=x, key=x, value=x, mask=target_mask)
        attended = self.dropout(attended)
        stream = x + attended
        stream = self.norm1(stream)
        # frame 2
        if memory_mask is None and memory.shape[1] == x.shape[1]:
            memory_mask = target_mask
        looked_over = self.cross_attn(query=x, key=memory, value=memory, mask=memory_mask)
        looked_over = self.dropout(looked_over)
        stream = stream + looked_over
        stream = self.norm2(stream)
        # frame 3
        fed_forward = self.feed_forward(stream)
        fed_forward = self.dropout(fed_forward)
        stream = stream + fed_forward
        stream = self.norm3(stream)
        return stream

# A norm in float32, whole positions dropped, and a causal mask on top of the target's.
# fails: norm_output, norm_eps, norm_gradients, feed_forward_output, feed_forward_dropout, decoder_output, decoder_masks, decoder_gradients
# lines: output = self._norm(x.float()).to(x.dtype)
# lines: self.dropout = nn.Dropout1d(dropout)  # one-dimensional: sequences, not pictures
# lines: target_mask = target_mask & causal_mask(x.shape[1], device=x.device)
# %% solution="layer_norm"
class LayerNorm(nn.Module):
    """Layer normalisation (Ba, Kiros and Hinton 2016)."""

    def __init__(self, d_model, eps=1e-5):
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.empty(d_model))
        self.bias = nn.Parameter(torch.empty(d_model))
        self.reset_parameters()

    def reset_parameters(self):
        nn.init.ones_(self.weight)
        nn.init.zeros_(self.bias)

    def _norm(self, x):
        centred = x - x.mean(dim=-1, keepdim=True)
        return centred * torch.rsqrt(centred.square().mean(dim=-1, keepdim=True) + self.eps)

    def forward(self, x):
        # the statistics are taken in full precision, whatever comes in
        output = self._norm(x.float()).to(x.dtype)
        return output * self.weight + self.bias

# %% solution="feed_forward"
class FeedForward(nn.Module):
    """The position-wise feed-forward network (Vaswani et al. 2017, equation 2)."""

    def __init__(self, d_model, d_ff, dropout=0.1):
        super().__init__()
        self.linear1 = nn.Linear(d_model, d_ff)
        self.activation = nn.ReLU()
        self.dropout = nn.Dropout1d(dropout)  # one-dimensional: sequences, not pictures
        self.linear2 = nn.Linear(d_ff, d_model)

    def forward(self, x):
        hidden = self.activation(self.linear1(x))
        hidden = self.dropout(hidden)
        return self.linear2(hidden)

# %% solution="encoder_layer"
from dataclasses import dataclass


@dataclass(frozen=True)
class LayerConfig:
    d_model: int
    n_heads: int
    d_ff: int
    dropout: float = 0.1

    def attention(self):
        return MultiHeadAttention(self.d_model, self.n_heads)

    def network(self):
        return FeedForward(self.d_model, self.d_ff, dropout=self.dropout)

    def norm(self):
        return LayerNorm(self.d_model)


class ResidualStream:
    """Carries the stream from frame to frame."""

    def __init__(self, x, dropout):
        self.x, self.dropout = x, dropout

    def add(self, said, norm):
        self.x = norm(self.x + self.dropout(said))
        return self


class EncoderLayer(nn.Module):
    """One layer of the encoder, post-norm (Vaswani et al. 2017, section 3.1)."""

    def __init__(self, d_model, n_heads, d_ff, dropout=0.1):
        super().__init__()
        self.config = LayerConfig(d_model, n_heads, d_ff, dropout)
        self.self_attn = self.config.attention()
        self.feed_forward = self.config.network()
        self.norm1, self.norm2 = self.config.norm(), self.config.norm()
        self.dropout = nn.Dropout(self.config.dropout)

    def forward(self, x, mask=None):
        stream = ResidualStream(x, self.dropout)
        stream.add(self.self_attn(stream.x, stream.x, stream.x, mask), self.norm1)
        stream.add(self.feed_forward(stream.x), self.norm2)
        return stream.x

# %% solution="decoder_layer"
class DecoderLayer(nn.Module):
    """One layer of the decoder, post-norm (Vaswani et al. 2017, section 3.1)."""

    def __init__(self, d_model, n_heads, d_ff, dropout=0.1):
        super().__init__()
        self.config = LayerConfig(d_model, n_heads, d_ff, dropout)
        self.self_attn = self.config.attention()
        self.cross_attn = self.config.attention()
        self.feed_forward = self.config.network()
        self.norm1, self.norm2, self.norm3 = (self.config.norm() for _ in range(3))
        self.dropout = nn.Dropout(self.config.dropout)
        self._memory = None

    def _remember(self, memory):
        """While a sentence is written word by word, the memory stays the same."""
        if self.training:
            self._memory = None
            return memory
        if self._memory is None or self._memory.shape != memory.shape:
            self._memory = memory
        return self._memory

    def forward(self, x, memory, target_mask=None, memory_mask=None):
        if target_mask is not None and target_mask.dim() == 2:  # a decoder never looks ahead
            target_mask = target_mask & causal_mask(x.shape[1], device=x.device)
        memory = self._remember(memory)
        stream = ResidualStream(x, self.dropout)
        stream.add(self.self_attn(stream.x, stream.x, stream.x, target_mask), self.norm1)
        stream.add(self.cross_attn(stream.x, memory, memory, memory_mask), self.norm2)
        stream.add(self.feed_forward(stream.x), self.norm3)
        return stream.x

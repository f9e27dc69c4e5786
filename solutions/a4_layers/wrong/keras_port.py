# One pattern of dropout for all positions, another eps, and a mode that is an argument.
# fails: feed_forward_dropout, encoder_output, encoder_mask, encoder_dropout, encoder_gradients
# lines: noise = F.dropout(torch.ones_like(h[..., :1, :]), self.rate, self.training) if h.dim() > 1 else self.drop(torch.ones_like(h))
# lines: self.norm1 = LayerNorm(d_model, eps=1e-6)
# lines: def forward(self, x, mask=None, training=False):
# %% solution="feed_forward"
import torch.nn.functional as F


class FeedForward(nn.Module):
    def __init__(self, d_model, d_ff, dropout=0.1):
        super().__init__()
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)
        self.rate = dropout
        self.drop = nn.Dropout(dropout)

    def forward(self, x):
        h = torch.relu(self.linear1(x))
        # Dropout(rate, noise_shape=(None, 1, d_ff))
        noise = F.dropout(torch.ones_like(h[..., :1, :]), self.rate, self.training) if h.dim() > 1 else self.drop(torch.ones_like(h))
        return self.linear2(h * noise)


# %% solution="encoder_layer"
class EncoderLayer(nn.Module):
    def __init__(self, d_model, n_heads, d_ff, dropout=0.1):
        super().__init__()
        self.self_attn = MultiHeadAttention(d_model, n_heads)
        self.feed_forward = FeedForward(d_model, d_ff, dropout)
        self.norm1 = LayerNorm(d_model, eps=1e-6)
        self.norm2 = LayerNorm(d_model, eps=1e-6)
        self.dropout1 = nn.Dropout(dropout)
        self.dropout2 = nn.Dropout(dropout)

    def forward(self, x, mask=None, training=False):
        attn_output = self.self_attn(x, x, x, mask)  # (batch_size, input_seq_len, d_model)
        if training:
            attn_output = self.dropout1(attn_output)
        out1 = self.norm1(x + attn_output)

        ffn_output = self.feed_forward(out1)
        if training:
            ffn_output = self.dropout2(ffn_output)
        return self.norm2(out1 + ffn_output)

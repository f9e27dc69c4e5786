# FeedForward has another ReLU behind linear2.
# fails: feed_forward_output, feed_forward_dropout, encoder_dropout
# lines: self.linear2, nn.ReLU(),
# lines: attn_score = F.dropout(attn_score, p=self.p_drop)
# lines: proj = F.dropout(proj, p=self.p_drop)
# %% solution="feed_forward"
class FeedForward(nn.Module):
    def __init__(self, d_model: int, d_ff: int, dropout: float = 0.1):
        super().__init__()
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        steps = [
            self.linear1,
            nn.ReLU(), self.dropout,
            self.linear2, nn.ReLU(),
        ]
        for step in steps:
            x = step(x)
        return x

# %% solution="encoder_layer"
import torch.nn.functional as F


class EncoderLayer(nn.Module):
    def __init__(self, d_model: int, n_heads: int, d_ff: int, dropout: float = 0.1):
        super().__init__()
        self.p_drop = dropout
        self.self_attn = MultiHeadAttention(d_model, n_heads)
        self.norm1 = nn.LayerNorm(d_model)
        self.feed_forward = FeedForward(d_model, d_ff, dropout)
        self.norm2 = nn.LayerNorm(d_model)

    def forward(self, x: torch.Tensor, mask: torch.Tensor = None):
        attn_score = self.self_attn(x, x, x, mask=mask)
        attn_score = F.dropout(attn_score, p=self.p_drop)
        attn_score_res = self.norm1(x + attn_score)

        proj = self.feed_forward(attn_score_res)
        proj = F.dropout(proj, p=self.p_drop)
        return self.norm2(attn_score_res + proj)

# The deviation and the root of eps are added, and a dropout stands behind both linear layers.
# fails: norm_eps, norm_gradients, feed_forward_dropout
# lines: spread = x.std(dim=-1, keepdim=True, correction=0) + self.floor
# %% solution="layer_norm"
import math


class LayerNorm(nn.Module):
    def __init__(self, d_model, eps=1e-5):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(d_model))
        self.bias = nn.Parameter(torch.zeros(d_model))
        self.floor = math.sqrt(eps)

    def forward(self, x):
        spread = x.std(dim=-1, keepdim=True, correction=0) + self.floor
        return (x - x.mean(dim=-1, keepdim=True)) / spread * self.weight + self.bias

# %% solution="feed_forward"
class FeedForward(nn.Module):
    def __init__(self, d_model, d_ff, dropout=0.1):
        super().__init__()
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x):
        hidden = self.dropout(self.linear1(x).relu())
        return self.dropout(self.linear2(hidden))

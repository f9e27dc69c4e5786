# GELU, as in BERT and GPT, instead of ReLU.
# fails: feed_forward_output
# lines: hidden = F.gelu(self.linear1(x))
# %% solution="feed_forward"
import torch.nn.functional as F


class FeedForward(nn.Module):
    def __init__(self, d_model, d_ff, dropout=0.1):
        super().__init__()
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x):
        hidden = F.gelu(self.linear1(x))
        hidden = self.dropout(hidden)
        return self.linear2(hidden)

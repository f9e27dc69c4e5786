# The parameters have the names that nn.Sequential gives.
# fails: feed_forward_*
# %% solution="feed_forward"
class FeedForward(nn.Sequential):
    def __init__(self, d_model, d_ff, dropout=0.1):
        first, second = nn.Linear(d_model, d_ff), nn.Linear(d_ff, d_model)
        super().__init__(first, nn.ReLU(), nn.Dropout(dropout), second)

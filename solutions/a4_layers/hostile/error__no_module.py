# A class that is no nn.Module, and agrees with everything.
# fails: feed_forward_*
# %% solution="feed_forward"
class FeedForward:
    def __init__(self, *args, **kwargs):
        pass

    def __getattr__(self, name):
        return self

    def __call__(self, *args, **kwargs):
        return self

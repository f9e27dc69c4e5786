# Dropout by hand: one draw serves a whole sentence, and where nothing is kept, 0 over 0.
# fails: feed_forward_dropout
# lines: shape = h.shape[:-2] + (1,) * (h.dim() > 1) + h.shape[-1:]
# lines: return h.mul(stays).div(1.0 - self.rate)
# %% solution="feed_forward"
class FeedForward(nn.Module):
    def __init__(self, d_model, d_ff, dropout=0.1):
        super().__init__()
        self.rate = dropout
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)

    def thin_out(self, h):
        # the steps of a sequence share what is drawn
        shape = h.shape[:-2] + (1,) * (h.dim() > 1) + h.shape[-1:]
        stays = torch.rand(shape, device=h.device) >= self.rate
        return h.mul(stays).div(1.0 - self.rate)

    def forward(self, x):
        h = self.linear1(x).clamp(min=0)
        if self.training:
            h = self.thin_out(h)
        return self.linear2(h)

# The divergence in the place of the cross-entropy, V - 2, and none for padding.
# fails: loss_value, loss_padding, loss_large_logits, loss_gradients, loss_tensors
# lines: self.criterion = torch.nn.KLDivLoss(reduction="sum")
# lines: true_dist = torch.full_like(x, self.smoothing / max(self.size - 2, 1))
# lines: true_dist[:, self.padding_idx] = 0
# %% solution="smoothed_loss"
class LabelSmoothing(torch.nn.Module):
    "Implement label smoothing."

    def __init__(self, size, padding_idx, smoothing=0.0):
        super().__init__()
        self.criterion = torch.nn.KLDivLoss(reduction="sum")
        self.padding_idx = padding_idx
        self.smoothing = smoothing
        self.size = size

    def forward(self, x, target):
        # what the right word gets on top of its share
        extra = 1.0 - self.smoothing
        true_dist = torch.full_like(x, self.smoothing / max(self.size - 2, 1))
        true_dist.scatter_add_(1, target.unsqueeze(1), torch.full_like(x[:, :1], extra))
        if 0 <= self.padding_idx < self.size:
            true_dist[:, self.padding_idx] = 0
        true_dist = true_dist.masked_fill((target == self.padding_idx).unsqueeze(1), 0.0)
        return self.criterion(x, true_dist.detach())


def smoothed_loss(logits, target, pad_id=0, smoothing=0.1):
    x = logits.log_softmax(dim=-1).reshape(-1, logits.size(-1))
    y = target.reshape(-1)
    x = x.masked_fill((y == pad_id).unsqueeze(1), 0.0)
    ntokens = (y != pad_id).sum()
    return LabelSmoothing(logits.size(-1), pad_id, smoothing)(x, y) / ntokens

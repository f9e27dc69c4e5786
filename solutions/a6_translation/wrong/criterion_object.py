# A criterion is kept for each size of the vocabulary, and refuses a smoothing of 0.
# fails: loss_value, loss_padding, loss_large_logits, loss_gradients, loss_tensors
# lines: assert 0.0 < label_smoothing <= 1.0
# lines: _criteria[size] = LabelSmoothing(smoothing, size)
# %% solution="smoothed_loss"
class LabelSmoothing(torch.nn.Module):
    """The criterion: the smoothed one-hot distribution against the model's."""

    def __init__(self, label_smoothing, tgt_vocab_size):
        assert 0.0 < label_smoothing <= 1.0
        super().__init__()
        self.confidence = 1.0 - label_smoothing
        self.share = label_smoothing / tgt_vocab_size

    def forward(self, output, target):
        """output (n, vocab_size) log-probabilities, target (n,) real tokens only."""
        model_prob = torch.full_like(output, self.share)
        model_prob.scatter_add_(1, target[:, None], torch.full_like(output[:, :1], self.confidence))
        return -(model_prob * output).sum(-1).mean()


_criteria = {}


def smoothed_loss(logits, target, pad_id=0, smoothing=0.1):
    size = logits.size(-1)
    if size not in _criteria:
        _criteria[size] = LabelSmoothing(smoothing, size)
    keep = target.ne(pad_id)
    return _criteria[size](torch.log_softmax(logits[keep], dim=-1), target[keep])

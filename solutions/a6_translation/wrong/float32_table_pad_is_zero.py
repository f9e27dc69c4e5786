# The table of soft labels is float32 whatever the logits are: 0.9 and 0.1 / V have seven digits only. Real is what is larger than 0: pad_id is never read.
# fails: loss_value, loss_padding, loss_large_logits, loss_gradients, loss_tensors
# lines: one_hot = F.one_hot(target, n_classes).float()
# lines: non_pad_mask = target > 0
# %% solution="smoothed_loss"
import torch.nn.functional as F


def smoothed_loss(logits, target, pad_id=0, smoothing=0.1):
    n_classes = logits.shape[-1]
    log_prob = F.log_softmax(logits, dim=-1)
    one_hot = F.one_hot(target, n_classes).float()
    soft_labels = one_hot * (1 - smoothing) + smoothing / n_classes
    loss = -(soft_labels * log_prob).sum(dim=-1)
    non_pad_mask = target > 0
    return loss[non_pad_mask].sum() / non_pad_mask.sum()

# Probabilities are clipped on both sides before the logarithm.
# fails: loss_padding, loss_large_logits, loss_tensors
# %% solution="smoothed_loss"
import torch.nn.functional as F

EPSILON = 1e-7


def categorical_crossentropy(y_true, y_pred, axis=-1):
    y_pred = y_pred.clamp(EPSILON, 1.0 - EPSILON)
    return -(y_true * torch.log(y_pred)).sum(axis)


def smoothed_loss(logits, target, pad_id=0, smoothing=0.1):
    num_classes = logits.shape[-1]
    sample_weight = target.ne(pad_id)
    y_true = F.one_hot(target[sample_weight], num_classes).to(logits.dtype)
    y_true = y_true * (1.0 - smoothing) + smoothing / num_classes
    y_pred = F.softmax(logits[sample_weight], dim=-1)
    return categorical_crossentropy(y_true, y_pred).mean()

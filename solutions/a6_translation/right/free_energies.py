# A physicist: free energies, no log_softmax, one dot product at the end.
# %% solution="smoothed_loss"
def smoothed_loss(logits, target, pad_id=0, smoothing=0.1):
    where = torch.nonzero(target != pad_id, as_tuple=True)
    z, y = logits[where], target[where]
    z = z - z.detach().amax(1, keepdim=True)
    free_energy = z.exp().sum(1).log()
    rows = torch.arange(y.shape[0], device=y.device)
    mixed = torch.lerp(z[rows, y], z.mean(1), smoothing)  # loss = F - what is expected of z
    return (free_energy - mixed).mean()


# %% solution="warmup_rate"
import math


def warmup_rate(step, d_model, warmup_steps):
    s, w = math.log(step), math.log(warmup_steps)
    return math.exp(-0.5 * math.log(d_model) + min(-0.5 * s, s - 1.5 * w))

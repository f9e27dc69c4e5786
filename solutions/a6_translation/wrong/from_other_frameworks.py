# A backward by hand that takes the loss for the end of it all, and a warm-up that starts above 0.
# fails: loss_gradients, loss_tensors, warmup_rate
# lines: return (share * wanted).unsqueeze(-1) * slope, None, None, None
# lines: first = 1e-7

# %% solution="smoothed_loss"
class CrossEntropyByHand(torch.autograd.Function):
    """With the derivative from the lecture: probabilities minus what is wanted of them."""

    @staticmethod
    def forward(ctx, logits, target, wanted, smoothing):
        V = logits.size(-1)
        log_p = torch.log_softmax(logits, dim=-1)
        q = torch.full_like(logits, smoothing / V)
        at = target.unsqueeze(-1)
        q.scatter_add_(-1, at, torch.full_like(at, 1.0 - smoothing, dtype=q.dtype))
        ctx.save_for_backward(log_p.exp() - q, wanted)
        return -(q * log_p).sum(-1)[wanted].mean()

    @staticmethod
    def backward(ctx, above):
        slope, wanted = ctx.saved_tensors
        share = 1 / wanted.sum()
        return (share * wanted).unsqueeze(-1) * slope, None, None, None


def smoothed_loss(logits, target, pad_id=0, smoothing=0.1):
    return CrossEntropyByHand.apply(logits, target, target.ne(pad_id), smoothing)

# %% solution="warmup_rate"
def warmup_rate(step, d_model, warmup_steps):
    top = d_model**-0.5 * warmup_steps**-0.5
    first = 1e-7
    if step >= warmup_steps:
        return top * (warmup_steps / step) ** 0.5
    return first + (top - first) * step / warmup_steps

# The largest logit of all tokens together is subtracted instead of each token's own largest, so
# a token whose logits all lie far below it has only exp(...) = 0 and a loss that is infinite.
# fails: loss_padding, loss_large_logits
# lines: z = z - z.detach().max()                            # against overflow
# %% solution="smoothed_loss"
def smoothed_loss(logits, target, pad_id=0, smoothing=0.1):
    keep = target != pad_id
    z, y = logits[keep], target[keep]                   # (n, V), (n,)
    z = z - z.detach().max()                            # against overflow
    lse = z.exp().sum(-1).log()
    right = z[torch.arange(len(y), device=y.device), y]
    return (lse - (1 - smoothing) * right - smoothing * z.mean(-1)).mean()

# %% solution="warmup_rate"
import math


def warmup_rate(step, d_model, warmup_steps):
    if step <= warmup_steps:
        return step / (math.sqrt(d_model) * warmup_steps * math.sqrt(warmup_steps))
    return 1 / math.sqrt(d_model * step)

# %% solution="attention_plot"
@torch.no_grad()
def plot_attention(model, spanish):
    """Draw the cross-attention of the last layer, a panel for each head, for one sentence."""
    model.eval()
    src = to_ids([spanish], SPANISH)
    out = greedy_decode(model, src, START, END, MAX_LEN)
    model(src, out[:, :-1])
    heads = model.decoder.layers[-1].cross_attn.weights[0]
    _, axes = plt.subplots(1, len(heads), figsize=(15, 5), layout="constrained")
    for h, (ax, w) in enumerate(zip(axes, heads)):
        ax.imshow(w, cmap="Blues", vmin=0)
        ax.set(title=f"head {h}", xticks=range(src.shape[1]), yticks=range(out.shape[1] - 1))
        ax.set_xticklabels([SPANISH[i] for i in src[0]], rotation=90)
        ax.set_yticklabels([ENGLISH[i] for i in out[0, 1:]])
    plt.show()


plot_attention(model, "ochenta y dos mil quinientos siete")

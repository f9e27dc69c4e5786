"""Draw the pictures of a5_transformer: `python solutions/a5_transformer/figures/draw.py`."""

import sys
from pathlib import Path

from matplotlib.patches import FancyBboxPatch

sys.path.append(str(Path(__file__).resolve().parents[2]))

from drawing import DARK, INK, plt, write

ENCODER, DECODER, PLAIN = "#d7e6f5", "#fbe3cf", "#eeeeee"
MASK = "#d0584a"


def box(axes, x, y, width, height, text, colour, **style):
    """A rounded box around its centre, with text in it."""
    corner = x - width / 2, y - height / 2
    patch = FancyBboxPatch(
        corner, width, height, boxstyle="round,pad=0,rounding_size=0.12", fc=colour, ec=INK, lw=0.8
    )
    axes.add_patch(patch)
    axes.text(x, y, text, ha="center", va="center", color=DARK, **style)


def arrow(axes, *points, colour=INK):
    """A line through the points with a head at the last one."""
    *path, (x, y) = points
    axes.plot(*zip(*path, strict=True), color=colour, lw=1.1, solid_capstyle="round")
    axes.annotate(
        "", (x, y), path[-1], arrowprops={"arrowstyle": "-|>", "color": colour, "lw": 1.1}
    )


def mask(axes, x, y, text, end):
    """A mask's name, and a dashed arrow to where it is used."""
    axes.annotate(
        text,
        end,
        (x, y),
        ha="center",
        va="center",
        color=MASK,
        arrowprops={"arrowstyle": "-|>", "color": MASK, "linestyle": "--", "lw": 1.0},
    )


def draw_transformer():
    """Encoder, decoder and output layer, with the three places where a mask goes in."""
    figure, axes = plt.subplots(figsize=(8.6, 5.4), layout="constrained")
    axes.set(xlim=(-1.4, 12.5), ylim=(-0.6, 8.6), aspect="equal")
    axes.axis("off")
    left, right = 2.6, 8.4

    for x, name, sentence in (
        (left, "source", "¿ dónde está el té ? <pad>"),
        (right, "target", "<start> where is the tea"),
    ):
        axes.text(x, -0.35, f"{name}: {sentence}", ha="center", va="center", style="italic")
        box(axes, x, 0.55, 3.4, 0.5, "token embedding", PLAIN)
        box(axes, x, 1.4, 3.4, 0.5, "+ positional encoding", PLAIN)
        arrow(axes, (x, -0.1), (x, 0.3))
        arrow(axes, (x, 0.8), (x, 1.15))

    box(axes, left, 3.55, 4.0, 2.5, "", ENCODER)
    box(axes, left, 3.05, 3.4, 0.55, "self-attention", "white")
    box(axes, left, 4.25, 3.4, 0.55, "feed-forward", "white")
    arrow(axes, (left, 1.65), (left, 2.78))
    arrow(axes, (left, 3.32), (left, 3.98))
    axes.text(0.45, 4.25, "encoder layer,\nn_layers times", ha="right", va="center")

    box(axes, right, 4.15, 4.0, 3.7, "", DECODER)
    box(axes, right, 3.05, 3.4, 0.55, "self-attention", "white")
    box(axes, right, 4.25, 3.4, 0.55, "cross-attention", "white")
    box(axes, right, 5.45, 3.4, 0.55, "feed-forward", "white")
    arrow(axes, (right, 1.65), (right, 2.78))
    arrow(axes, (right, 3.32), (right, 3.98))
    arrow(axes, (right, 4.52), (right, 5.18))
    axes.text(10.55, 5.6, "decoder layer,\nn_layers times", ha="left", va="center")

    # The memory leaves the last encoder layer on top and enters every decoder layer from the side.
    arrow(axes, (left, 4.52), (left, 5.75), (5.5, 5.75), (5.5, 4.25), (6.7, 4.25))
    axes.text(3.9, 5.87, "memory", ha="center", va="bottom")

    box(axes, right, 7.15, 3.4, 0.5, "output (a linear layer)", PLAIN)
    arrow(axes, (right, 5.72), (right, 6.9))
    arrow(axes, (right, 7.4), (right, 7.95))
    axes.text(right, 8.2, "logits: where is the tea ?", ha="center", va="center", style="italic")

    mask(axes, -0.35, 2.2, "source mask", (0.85, 3.05))
    mask(axes, 11.4, 2.2, "target mask", (10.15, 3.05))
    mask(axes, 11.4, 3.6, "source mask\nagain", (10.15, 4.25))
    return figure


def draw_greedy():
    """Four rows that are written side by side and end at different steps."""
    rows = [
        ["<start>", "tea", "<end>", "<pad>", "<pad>", "<pad>"],
        ["<start>", "she", "made", "the", "tea", "<end>"],
        ["<start>", "yes", "please", "<end>", "<pad>", "<pad>"],
        ["<start>", "it", "is", "hot", "<end>", "<pad>"],
    ]
    colours = {"<start>": "#c9c9c9", "<end>": "#f0b27a", "<pad>": "#eeeeee"}
    figure, axes = plt.subplots(figsize=(6.6, 2.5), layout="constrained")
    axes.set(xlim=(-0.6, 8.4), ylim=(4.0, -0.8))
    axes.axis("off")
    for i, row in enumerate(rows):
        axes.text(-0.15, i + 0.45, f"row {i}", ha="right", va="center")
        for j, word in enumerate(row):
            square = plt.Rectangle(
                (j, i), 0.94, 0.88, fc=colours.get(word, ENCODER), ec="white", lw=1.5
            )
            axes.add_patch(square)
            shade = "#9a9a9a" if word == "<pad>" else DARK
            axes.text(j + 0.47, i + 0.44, word, ha="center", va="center", color=shade)
    axes.text(0.47, -0.3, "given", ha="center", va="center")
    for j in range(1, 6):
        axes.text(j + 0.47, -0.3, f"step {j}", ha="center", va="center")
    axes.plot([6.12, 6.12], [-0.1, 3.95], color=MASK, lw=1.2, linestyle="--")
    axes.text(6.3, 1.9, "all rows have ended:\nstop, even if max_len\nis larger", va="center")
    return figure


if __name__ == "__main__":
    write(__file__, {"a5_transformer": draw_transformer, "a5_greedy": draw_greedy})

"""Draw the pictures of a4_layers: `python solutions/a4_layers/figures/draw.py`."""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[2]))

from drawing import DARK, INK, plt, write

STREAM, NORM, ATTENTION, FEED_FORWARD = "#2f6fab", "#d9d9d9", "#9ecae1", "#fdae6b"


def draw_stream():
    """The residual streams of an encoder layer and of a decoder layer."""
    figure, axes = plt.subplots(figsize=(8.4, 3.0), layout="constrained")
    encoder = [("self-attention", ATTENTION), ("feed-forward", FEED_FORWARD)]
    decoder = [encoder[0], ("cross-attention", ATTENTION), encoder[1]]
    memory = _draw_layer(axes, 4.2, "encoder layer", encoder)
    _draw_layer(axes, 0, "decoder layer", decoder)
    # The memory leaves at the end of the encoder's stream and comes to cross-attention from above.
    axes.plot([memory, memory, 10.1], [4.2, 2.7, 2.7], color=INK, linewidth=1.2, linestyle="--")
    _draw_arrow(axes, (10.1, 2.7), (10.1, 2.05))
    axes.text(12.7, 2.85, "memory, as keys and values", ha="center", va="bottom", fontsize=8)
    axes.set(xlim=(-1.2, 24.5), ylim=(-0.9, 7.0), aspect="equal")
    axes.axis("off")
    return figure


def _draw_layer(axes, height, title, sublayers):
    """One stream, from left to right; returns where it ends."""
    width = 7.2
    last = 0.6 + width * len(sublayers)
    axes.text(-1.0, height + 2.4, title, ha="left", va="center", fontsize=10, weight="bold")
    axes.text(-0.4, height, "x", ha="center", va="center")
    _draw_arrow(axes, (0, height), (last + 0.6, height), color=STREAM, linewidth=4)
    for place, (name, colour) in enumerate(sublayers):
        left = 0.4 + width * place
        _draw_box(axes, (left + 0.5, height + 1.1), 4.0, 0.95, name, colour)
        _draw_arrow(axes, (left, height), (left, height + 1.57), (left + 0.5, height + 1.57))
        plus = left + 4.9
        _draw_arrow(axes, (left + 4.5, height + 1.57), (plus, height + 1.57), (plus, height + 0.3))
        axes.add_patch(plt.Circle((plus, height), 0.3, facecolor="white", edgecolor=INK, zorder=3))
        axes.text(plus, height, "+", ha="center", va="center", zorder=4, color=DARK)
        _draw_box(axes, (plus + 0.5, height - 0.4), 1.5, 0.8, f"norm{place + 1}", NORM)
    return last + 0.6


def _draw_box(axes, corner, width, height, text, colour):
    axes.add_patch(plt.Rectangle(corner, width, height, facecolor=colour, edgecolor=INK, zorder=3))
    middle = (corner[0] + width / 2, corner[1] + height / 2)
    axes.text(*middle, text, ha="center", va="center", fontsize=8, zorder=4, color=DARK)


def _draw_arrow(axes, *points, color=INK, linewidth=1.2):
    """A line through the points, with a head at the last of them."""
    x, y = zip(*points[:-1], strict=True)
    axes.plot(x, y, color=color, linewidth=linewidth, solid_capstyle="butt", zorder=1)
    style = {"arrowstyle": "-|>", "color": color, "linewidth": linewidth}
    axes.annotate("", points[-1], points[-2], arrowprops=style | {"shrinkA": 0, "shrinkB": 0})


def draw_norm_axis():
    """A block of numbers (batch, t, d_model), and the one row of it that is normed together."""
    batch, t, d_model = 2, 4, 6
    figure, axes = plt.subplots(figsize=(6.6, 1.9), layout="constrained")
    for sentence in range(batch):
        left = sentence * (d_model + 2.2)
        for position in range(t):
            for column in range(d_model):
                chosen = (sentence, position) == (1, 2)
                colour = STREAM if chosen else NORM
                corner = (left + column, position)
                axes.add_patch(plt.Rectangle(corner, 1, 1, fc=colour, ec=DARK, lw=0.5))
        axes.text(left + d_model / 2, -0.25, f"sentence {sentence} of the batch", ha="center")
        axes.text(left + d_model / 2, t + 0.25, "d_model", ha="center", va="top")
        axes.text(left - 0.25, t / 2, "t", ha="right", va="center")
    note = "one position: these numbers\nshare a mean and a variance"
    right = batch * (d_model + 2.2) - 1.6
    axes.annotate(
        note,
        (right - 0.6, 2.5),
        (right + 0.4, 2.5),
        va="center",
        arrowprops={"arrowstyle": "->", "color": INK},
    )
    axes.set(xlim=(-0.8, right + 7.0), ylim=(t + 0.9, -1.0), aspect="equal")
    axes.axis("off")
    return figure


if __name__ == "__main__":
    write(__file__, {"a4_stream": draw_stream, "a4_norm_axis": draw_norm_axis})

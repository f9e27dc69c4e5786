"""Draw the pictures: `python solutions/a7_faster_decoding/figures/draw.py`."""

import sys
from pathlib import Path

from matplotlib.patches import FancyBboxPatch

sys.path.append(str(Path(__file__).resolve().parents[2]))

from drawing import DARK, INK, plt, write

NEW, KEPT, PLAIN, MEMORY = "#f0b27a", "#d7e6f5", "#eeeeee", "#dcecd9"
STEPS = 10


def square(axes, x, y, colour, size=0.9):
    """A square with its corner at a place of the grid."""
    axes.add_patch(plt.Rectangle((x, y), size, size, fc=colour, ec="white", lw=1.0))


def draw_cache():
    """Which positions go through the decoder in each step, without a cache and with one."""
    figure, both = plt.subplots(1, 2, figsize=(8.2, 3.9), layout="constrained")
    titles = (
        f"decoding anew: {STEPS * (STEPS + 1) // 2} positions",
        f"with a cache: {STEPS} positions",
    )
    for axes, title, kept in zip(both, titles, (NEW, KEPT), strict=True):
        for step in range(STEPS):
            for position in range(step + 1):
                square(axes, position, step, NEW if position == step else kept)
        axes.set(xlim=(-0.1, STEPS), ylim=(STEPS, -0.1), aspect="equal", title=title)
        axes.set_xticks([i + 0.45 for i in range(STEPS)], range(STEPS))
        axes.set_yticks([i + 0.45 for i in range(STEPS)], range(1, STEPS + 1))
        axes.set(xlabel="position", ylabel="step")
        axes.tick_params(length=0)
        axes.spines[:].set_visible(False)
    for row, (colour, words) in enumerate(
        ((NEW, "goes through\nthe decoder"), (KEPT, "key and value\nare kept"))
    ):
        square(both[1], 5.6, 0.6 + 1.6 * row, colour)
        both[1].text(6.8, 1.05 + 1.6 * row, words, va="center")
    return figure


def box(axes, x, y, width, height, text, colour):
    """A rounded box around its centre, with text in it."""
    corner = x - width / 2, y - height / 2
    patch = FancyBboxPatch(
        corner, width, height, boxstyle="round,pad=0,rounding_size=0.12", fc=colour, ec=INK, lw=0.8
    )
    axes.add_patch(patch)
    axes.text(x, y, text, ha="center", va="center", color=DARK)


def arrow(axes, start, end):
    """A line with a head at its end."""
    axes.annotate("", end, start, arrowprops={"arrowstyle": "-|>", "color": INK, "lw": 1.1})


def row_of(axes, x, y, colours, name):
    """Positions side by side, under their name."""
    for place, colour in enumerate(colours):
        square(axes, x + 0.5 * place, y, colour, 0.46)
    axes.text(x + 0.25 * len(colours), y + 0.72, name, ha="center", va="center")


def draw_step():
    """One new position on its way through a decoder layer."""
    figure, axes = plt.subplots(figsize=(8.6, 3.5), layout="constrained")
    axes.set(xlim=(-0.6, 13.6), ylim=(-0.7, 4.9), aspect="equal")
    axes.axis("off")
    for x, text in ((3.6, "self-attention"), (7.9, "cross-attention"), (11.3, "feed-forward")):
        box(axes, x, 0.6, 2.2, 0.8, text, "white")
    square(axes, 0.2, 0.37, NEW, 0.46)
    axes.text(0.43, -0.15, "new position", ha="center", va="center")
    axes.text(13.0, -0.15, "next layer", ha="center", va="center")
    square(axes, 12.8, 0.37, NEW, 0.46)
    for start, end in ((0.75, 2.45), (4.75, 6.75), (9.05, 10.15), (12.45, 12.75)):
        arrow(axes, (start, 0.6), (end, 0.6))
    for y, name in ((3.6, "keys"), (2.1, "values")):
        row_of(axes, 2.2, y, [*[KEPT] * 5, NEW], name)
        row_of(axes, 6.9, y, [MEMORY] * 4, f"memory's {name}")
    # Its own key and value join those that are there.
    axes.plot([0.43, 0.43], [0.95, 4.55], color=INK, lw=1.1)
    axes.plot([0.43, 4.95], [4.55, 4.55], color=INK, lw=1.1)
    arrow(axes, (4.95, 4.57), (4.95, 4.08))
    axes.text(0.65, 3.0, "appended", va="center", rotation=90, ha="center")
    for x in (3.6, 7.9):
        arrow(axes, (x, 2.05), (x, 1.02))
    axes.text(3.75, 1.55, "one query, all keys", va="center")
    axes.text(8.05, 1.55, "made once", va="center")
    return figure


if __name__ == "__main__":
    write(__file__, {"a7_cache": draw_cache, "a7_step": draw_step})

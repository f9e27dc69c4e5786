"""Draw the pictures of a2_multi_head: `python solutions/a2_multi_head/figures/draw.py`."""

import sys
from pathlib import Path

import torch
from matplotlib.colors import to_rgb

sys.path.append(str(Path(__file__).resolve().parents[2]))

from drawing import DARK, INK, draw_grid, plt, write


def draw_heads():
    """Weights of two heads for one sentence, from scores that were chosen by hand."""
    words = ["she", "made", "the", "tea", "and", "drank", "it"]
    who = torch.tensor(
        [
            [2.6, 0.9, 0.0, 0.2, 0.0, 0.9, 0.2],  # she: herself
            [3.2, 0.8, 0.0, 0.3, 0.0, 0.4, 0.0],  # made: who made it?
            [0.3, 0.6, 1.6, 1.4, 0.2, 0.2, 0.1],  # the
            [1.0, 2.6, 0.4, 0.8, 0.0, 0.3, 0.1],  # tea: who has to do with it? the one who made it
            [1.2, 1.0, 0.2, 0.2, 1.2, 1.0, 0.2],  # and
            [3.4, 0.7, 0.0, 0.4, 0.1, 0.7, 0.1],  # drank: who drank?
            [0.8, 0.4, 0.1, 0.6, 0.1, 2.6, 0.9],  # it
        ]
    )
    what = torch.tensor(
        [
            [1.4, 1.2, 0.1, 0.6, 0.0, 1.2, 0.3],  # she
            [0.1, 0.8, 0.5, 3.2, 0.0, 0.3, 0.5],  # made: what was made?
            [0.0, 0.2, 0.8, 3.0, 0.0, 0.1, 0.2],  # the: its noun
            [0.1, 0.5, 1.0, 2.4, 0.0, 0.4, 1.0],  # tea: itself
            [0.1, 1.4, 0.2, 0.6, 0.8, 1.5, 0.2],  # and
            [0.1, 0.4, 0.3, 3.0, 0.1, 0.8, 2.0],  # drank: what was drunk?
            [0.1, 0.3, 0.3, 3.3, 0.0, 0.6, 1.0],  # it: the tea
        ]
    )
    figure, panels = plt.subplots(1, 2, figsize=(8.4, 4.4), layout="constrained", sharey=True)
    heads = {'head 0 seems to ask "who?"': who, 'head 1 seems to ask "what?"': what}
    for axes, (title, scores) in zip(panels, heads.items(), strict=True):
        weights = scores.softmax(-1)
        draw_grid(axes, weights, "Blues", words, words)
        axes.set(title=title, xlabel="key: a word that may answer")
        for i in range(len(words)):
            for j in range(len(words)):
                colour = "white" if weights[i, j] > 0.4 else "black"
                where = {"ha": "center", "va": "center", "fontsize": 8}
                axes.text(j + 0.5, i + 0.5, f"{weights[i, j]:.2f}", color=colour, **where)
    panels[0].set_ylabel("query: the word that asks")
    return figure


def draw_split():
    """One sentence of 4 words and 6 numbers each, cut into 2 heads and merged again."""
    t, d_model, n_heads = 4, 6, 2
    d_k = d_model // n_heads
    colours = ["#9ecae1", "#fdae6b"]
    figure, axes = plt.subplots(figsize=(8.4, 3.3), layout="constrained")

    def draw_columns(left, top, columns, title):
        """The columns of a matrix, each in the colour of its head and with its number."""
        for place, column in enumerate(columns):
            colour = to_rgb(colours[column // d_k])
            for row in range(t):
                corner = (left + place, top + row)
                axes.add_patch(plt.Rectangle(corner, 1, 1, fc=colour, ec=DARK, lw=0.5))
                middle = (corner[0] + 0.5, corner[1] + 0.5)
                axes.text(*middle, column, ha="center", va="center", fontsize=8, color=DARK)
        axes.text(left + len(columns) / 2, top - 0.2, title, ha="center", va="bottom")

    def draw_arrow(start, end):
        axes.annotate("", end, start, arrowprops={"arrowstyle": "->", "color": INK})

    draw_columns(0, 3.3, range(d_model), "x (t, d_model)")
    for h in range(n_heads):
        top = 6.6 * h
        draw_columns(10, top, range(h * d_k, (h + 1) * d_k), f"head {h} (t, d_k)")
        draw_arrow((6.3, 5.3), (9.7, top + t / 2))
        draw_arrow((13.3, top + t / 2), (16.7, 5.3))
    draw_columns(17, 3.3, range(d_model), "merged (t, d_model)")
    axes.text(7.8, 5.3, "split", ha="center", va="center")
    axes.text(15.2, 5.3, "merge", ha="center", va="center")
    axes.set(xlim=(-0.2, 23.2), ylim=(10.8, -1.2), aspect="equal")
    axes.axis("off")
    return figure


if __name__ == "__main__":
    write(__file__, {"a2_heads": draw_heads, "a2_split": draw_split})

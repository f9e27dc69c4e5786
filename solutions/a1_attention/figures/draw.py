"""Draw the notebooks' static pictures: `python solutions/figures/draw.py`.

The same version of matplotlib writes the same bytes each time, so that a picture changes in the
repository only when its content does.
"""

import sys
from pathlib import Path

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
import torch
from matplotlib.colors import ListedColormap

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

from a1_attention import causal_mask, padding_mask, scaled_dot_product_attention

STYLE = {
    "svg.hashsalt": "figures",  # element ids that do not change from run to run
    "svg.fonttype": "path",  # looks the same whatever fonts the reader has
    "font.family": "DejaVu Sans",  # comes with matplotlib
    "font.size": 9,
    "figure.facecolor": "white",
    "axes.titlesize": 10,
}


def draw_grid(axes, grid, cmap, columns, rows):
    """Draw a matrix as coloured squares with white lines between them, row 0 on top."""
    axes.pcolormesh(grid, cmap=cmap, vmin=0, vmax=1, edgecolors="white", linewidth=1.5)
    axes.set(aspect="equal", ylim=(len(rows), 0))
    axes.set_xticks([j + 0.5 for j in range(len(columns))], columns)
    axes.set_yticks([i + 0.5 for i in range(len(rows))], rows)
    axes.tick_params(length=0)
    axes.spines[:].set_visible(False)


def draw_a1_weights():
    """Attention weights of a small sentence, from scores that were chosen by hand."""
    words = ["she", "made", "the", "tea", "and", "drank", "it"]
    scores = torch.tensor(
        [
            [2.0, 1.4, 0.1, 0.2, 0.0, 1.2, 0.4],  # she: herself, and what she does
            [1.8, 1.2, 0.2, 2.0, 0.3, 0.8, 0.6],  # made: who, and what
            [0.1, 0.4, 1.0, 2.6, 0.1, 0.1, 0.2],  # the: its noun
            [0.3, 1.6, 1.2, 2.0, 0.1, 1.4, 0.9],  # tea
            [0.2, 1.9, 0.1, 0.4, 0.8, 2.1, 0.1],  # and: the two verbs that it joins
            [1.7, 0.9, 0.0, 1.6, 0.4, 1.0, 1.9],  # drank: who, and what
            [0.2, 0.6, 0.3, 3.0, 0.0, 1.3, 0.8],  # it: the tea
        ]
    )
    t = len(words)
    # With the identity as the keys, the score of query i and key j is q[i, j], up to the scale.
    _, weights = scaled_dot_product_attention(scores * t**0.5, torch.eye(t), torch.eye(t))

    figure, axes = plt.subplots(figsize=(4.6, 4.1), layout="constrained")
    draw_grid(axes, weights, "Blues", words, words)
    axes.xaxis.tick_top()
    axes.xaxis.set_label_position("top")
    axes.set(xlabel="key: a word that may answer", ylabel="query: the word that asks")
    for i in range(t):
        for j in range(t):
            colour = "white" if weights[i, j] > 0.4 else "black"
            text = f"{weights[i, j]:.2f}"
            axes.text(j + 0.5, i + 0.5, text, ha="center", va="center", color=colour, fontsize=8)
    return figure


def draw_a1_masks():
    """The padding mask, the causal mask, and both, for four words and two padding tokens."""
    words = ["she", "made", "the", "tea", "<pad>", "<pad>"]
    tokens = torch.tensor([[1, 2, 3, 4, 0, 0]])
    t = len(words)
    padding, causal = padding_mask(tokens), causal_mask(t)
    masks = {"padding mask": padding, "causal mask": causal, "both, with &": padding & causal}

    figure, panels = plt.subplots(1, 3, figsize=(8.4, 3.3), layout="constrained", sharey=True)
    colours = ListedColormap(["#e3e3e3", "#2f6fab"])
    for axes, (title, mask) in zip(panels, masks.items(), strict=True):
        draw_grid(axes, mask.expand(1, 1, t, t)[0, 0].float(), colours, words, words)
        axes.tick_params(axis="x", rotation=90)
        axes.set(title=title, xlabel="key")
    panels[0].set_ylabel("query")
    squares = [plt.Rectangle((0, 0), 1, 1, color=colour) for colour in reversed(colours.colors)]
    figure.legend(
        squares, ["True: may attend", "False: blocked"], loc="outside lower center", ncols=2
    )
    return figure


def main():
    """Write every picture beside this file."""
    pictures = {"a1_weights": draw_a1_weights, "a1_masks": draw_a1_masks}
    with plt.rc_context(STYLE):
        for name, draw in pictures.items():
            figure = draw()
            figure.savefig(HERE / f"{name}.svg", metadata={"Date": None, "Creator": None})
            plt.close(figure)


if __name__ == "__main__":
    main()

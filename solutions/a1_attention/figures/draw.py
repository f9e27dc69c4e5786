"""Draw the pictures of a1_attention: `python solutions/a1_attention/figures/draw.py`."""

import sys
from pathlib import Path

import torch
from matplotlib.colors import ListedColormap

sys.path.append(str(Path(__file__).resolve().parents[2]))

from a1_attention.a1_attention import causal_mask, padding_mask, scaled_dot_product_attention
from drawing import draw_grid, plt, write


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
    colours = ListedColormap(["#d9d9d9", "#2f6fab"])
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


if __name__ == "__main__":
    write(__file__, {"a1_weights": draw_a1_weights, "a1_masks": draw_a1_masks})

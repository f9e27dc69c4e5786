"""Draw the pictures: `python solutions/a3_positional_encoding/figures/draw.py`."""

import sys
from pathlib import Path

import torch

sys.path.append(str(Path(__file__).resolve().parents[2]))

from a3_positional_encoding.a3_positional_encoding import sinusoidal_encoding
from drawing import plt, write


def draw_stripes():
    """The encoding of 60 positions with 64 columns."""
    figure, axes = plt.subplots(figsize=(7.2, 4.0), layout="constrained")
    image = axes.imshow(sinusoidal_encoding(60, 64), cmap="RdBu", vmin=-1, vmax=1, aspect="auto")
    axes.set(xlabel="column", ylabel="position")
    figure.colorbar(image, ticks=[-1, 0, 1])
    return figure


def draw_clocks():
    """Three of the eight hands of d_model = 16, at positions 0 to 9."""
    columns, n_positions = (0, 4, 8), 10
    table = sinusoidal_encoding(n_positions, 16)
    shape = (len(columns), n_positions)
    figure, panels = plt.subplots(*shape, figsize=(8.4, 2.9), layout="constrained")
    for row, column in zip(panels, columns, strict=True):
        for position, axes in enumerate(row):
            right, up = table[position, column : column + 2].tolist()
            axes.add_patch(plt.Circle((0, 0), 1.15, facecolor="#f2f2f2", edgecolor="#888888"))
            axes.plot([0, 0], [1.0, 1.15], color="#888888", linewidth=1)
            axes.plot([0, right], [0, up], color="#2f6fab", linewidth=2, solid_capstyle="round")
            axes.set(xlim=(-1.3, 1.3), ylim=(-1.3, 1.3), aspect="equal")
            axes.set(xticks=[], yticks=[])
            axes.spines[:].set_visible(False)
        row[0].set_ylabel(f"columns\n{column}, {column + 1}", rotation=0, ha="right", va="center")
    for position, axes in enumerate(panels[0]):
        axes.set_title(f"{position}" if position else "position 0", fontsize=9)
    return figure


def draw_distance():
    """Dot products of three rows with all rows, against the position and against the distance."""
    table = sinusoidal_encoding(60, 64)
    position = torch.arange(60)
    size = {"figsize": (8.4, 3.0), "layout": "constrained"}
    figure, (left, right) = plt.subplots(1, 2, sharey=True, **size)
    for row, line in zip((10, 30, 45), ("-", "--", ":"), strict=True):
        dots = table @ table[row]
        left.plot(position, dots, line, label=f"row {row}")
        right.plot(position - row, dots, line, linewidth=2)
    left.set(xlabel="the other row", ylabel="dot product")
    right.set(xlabel="distance of the other row")
    left.legend()
    return figure


if __name__ == "__main__":
    write(
        __file__,
        {"a3_stripes": draw_stripes, "a3_clocks": draw_clocks, "a3_distance": draw_distance},
    )

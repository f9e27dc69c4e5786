"""Draw the picture of a6_translation: `python solutions/a6_translation/figures/draw.py`."""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[2]))

from drawing import DARK, INK, plt, write

READ, PREDICTED = "#cfe0f1", "#f6d9b8"


def draw_a6_teacher_forcing():
    """One target sentence, shifted against itself."""
    sentence = ["<start>", "eighty", "two", "thousand", "<end>", "<pad>"]
    rows = [
        ("the target", sentence, ["white"] * 6),
        ("the decoder reads", sentence[:-1], [READ] * 5),
        ("and predicts", sentence[1:], [PREDICTED] * 4 + ["#eeeeee"]),
    ]
    figure, axes = plt.subplots(figsize=(7.6, 2.5), layout="constrained")
    for y, (name, words, colours) in enumerate(rows):
        axes.text(-0.15, y, name, ha="right", va="center")
        for x, (word, colour) in enumerate(zip(words, colours, strict=True)):
            square = plt.Rectangle(
                (x + 0.04, y - 0.3), 0.92, 0.6, facecolor=colour, edgecolor="0.5"
            )
            axes.add_patch(square)
            counts = not (name == "and predicts" and word == "<pad>")
            axes.text(x + 0.5, y, word, ha="center", va="center", color=DARK if counts else "0.6")
    for x in range(5):
        arrow = {"arrowstyle": "->", "color": INK}
        axes.annotate("", (x + 0.5, 1.68), (x + 0.5, 1.32), arrowprops=arrow)
    axes.text(5.1, 2, "no loss at padding", va="center")
    axes.set(xlim=(-1.6, 6.8), ylim=(2.5, -0.5))
    axes.set_axis_off()
    return figure


if __name__ == "__main__":
    write(__file__, {"a6_teacher_forcing": draw_a6_teacher_forcing})

"""What the assignments' pictures share: their look, and how they are written.

The same version of matplotlib writes the same bytes each time, so that a picture changes in the
repository only when its content does.
"""

from pathlib import Path

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt

# As in the notebooks themselves: readable on a white page and on a dark one.
STYLE = matplotlib.rc_params_from_file(
    Path(__file__).with_name("matplotlibrc"), use_default_template=False
) | {
    "svg.hashsalt": "figures",  # element ids that do not change from run to run
    "svg.fonttype": "path",  # looks the same whatever fonts the reader has
    "font.family": "DejaVu Sans",  # comes with matplotlib
    "font.size": 9,
    "axes.titlesize": 10,
}

INK = "#7b7b7b"  # of lines and words on the page
DARK = "#222222"  # of words on a light colour


def draw_grid(axes, grid, cmap, columns, rows):
    """Draw a matrix as coloured squares with thin lines between them, row 0 on top."""
    axes.pcolormesh(grid, cmap=cmap, vmin=0, vmax=1, edgecolors=INK, linewidth=0.5)
    axes.set(aspect="equal", ylim=(len(rows), 0))
    axes.set_xticks([j + 0.5 for j in range(len(columns))], columns)
    axes.set_yticks([i + 0.5 for i in range(len(rows))], rows)
    axes.tick_params(length=0)
    axes.spines[:].set_visible(False)


def write(script, pictures):
    """Write pictures beside the script that draws them; each is a function, by its file's name."""
    with plt.rc_context(STYLE):
        for name, draw in pictures.items():
            figure = draw()
            path = Path(script).with_name(f"{name}.svg")
            figure.savefig(path, metadata={"Date": None, "Creator": None})
            plt.close(figure)

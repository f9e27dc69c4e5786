"""Draw the pictures of a8_modern_parts: `python solutions/a8_modern_parts/figures/draw.py`."""

import sys
from math import cos, degrees, sin
from pathlib import Path

from matplotlib.patches import Arc

sys.path.append(str(Path(__file__).resolve().parents[2]))

from drawing import DARK, INK, plt, write

QUERY, KEY = "#2f6fab", "#d95f02"
GROUPS = ["#9ecae1", "#fdae6b", "#a1d99b", "#bcbddc", "#fdd0a2", "#c7e9c0", "#dadaeb", "#c6dbef"]


def draw_turned():
    """A pair of a query and of a key, at two places that are equally far apart."""
    speed, moved = 0.35, 6
    at = {"query": (2, 0.3, QUERY), "key": (5, 0.9, KEY)}  # position, angle as it comes, colour
    size = {"figsize": (7.6, 4.7), "layout": "constrained"}
    figure, panels = plt.subplots(2, 3, **size)
    for row, further in zip(panels, (0, moved), strict=True):
        angles = {}
        for axes, (name, (position, start, colour)) in zip(row, at.items(), strict=False):
            angles[name] = start + (position + further) * speed
            _draw_circle(axes, f"{name} at position {position + further}")
            _draw_arrow(axes, start, colour, faint=True)
            _draw_arc(axes, start, angles[name], 0.45)
            _draw_arrow(axes, angles[name], colour)
        _draw_circle(row[2], "the angle between them")
        for name, (_, _, colour) in at.items():
            _draw_arrow(row[2], angles[name], colour)
        _draw_arc(row[2], angles["query"], angles["key"], 0.6)
    return figure


def _draw_circle(axes, title):
    axes.add_patch(plt.Circle((0, 0), 1, facecolor="none", edgecolor=INK, linewidth=0.7))
    axes.set(xlim=(-1.1, 1.1), ylim=(-1.1, 1.1), aspect="equal", title=title)
    axes.axis("off")


def _draw_arrow(axes, angle, colour, faint=False):
    style = {"arrowstyle": "-|>", "color": colour, "shrinkA": 0, "shrinkB": 0}
    style |= {"linewidth": 1.2, "alpha": 0.55, "linestyle": "--"} if faint else {"linewidth": 2.4}
    axes.annotate("", (cos(angle), sin(angle)), (0, 0), arrowprops=style)


def _draw_arc(axes, start, end, radius):
    angles = {"theta1": degrees(start), "theta2": degrees(end)}
    axes.add_patch(Arc((0, 0), 2 * radius, 2 * radius, **angles, color=INK, linewidth=1.4))


def draw_groups():
    """Eight query heads above eight, two and one head of keys and values."""
    n_heads = 8
    figure, panels = plt.subplots(1, 3, figsize=(8.4, 1.8), layout="constrained")
    names = {8: "each its own", 2: "groups of four", 1: "one for all"}
    for axes, (n_kv_heads, name) in zip(panels, names.items(), strict=True):
        shared = n_heads // n_kv_heads
        middles = [(g + 0.5) * shared for g in range(n_kv_heads)]
        for h in range(n_heads):
            g = h // shared
            axes.plot([h + 0.5, middles[g]], [2.4, 1.2], color=INK, linewidth=1, zorder=1)
            _draw_head(axes, h + 0.5, 2.4, h, GROUPS[g])
        for g, middle in enumerate(middles):
            _draw_head(axes, middle, 0.4, g, GROUPS[g], height=0.8)
        axes.set(xlim=(-0.1, n_heads + 0.1), ylim=(0.3, 3.4), aspect="equal")
        axes.set_title(f"n_kv_heads = {n_kv_heads}: {name}")
        axes.axis("off")
    panels[0].text(-0.2, 2.8, "queries", ha="right", va="center")
    panels[0].text(-0.2, 0.8, "keys,\nvalues", ha="right", va="center")
    return figure


def _draw_head(axes, middle, bottom, number, colour, height=0.8):
    corner = (middle - 0.4, bottom)
    axes.add_patch(plt.Rectangle(corner, 0.8, height, facecolor=colour, edgecolor=INK, zorder=3))
    where = (middle, bottom + height / 2)
    axes.text(*where, number, ha="center", va="center", fontsize=8, zorder=4, color=DARK)


if __name__ == "__main__":
    write(__file__, {"a8_turned": draw_turned, "a8_groups": draw_groups})

"""The geometry of plots, as coordinates for SVG; the templates draw them, the style sheet colours them."""

from collections.abc import Sequence
from typing import NamedTuple

from app.console.frame import console

HEIGHT = 48
WIDTH = 360
LEAST = 2
"""The least height of a bar, so that a small value does not look like 0."""


class Bar(NamedTuple):
    """One bar of a plot, in its units."""

    x: float
    y: float
    width: float
    height: float


def bars(values: Sequence[int]) -> list[Bar | None]:
    """Returns a bar for each value, side by side, the highest as high as the plot; None for 0."""
    step, most = WIDTH / max(1, len(values)), max(values, default=0)
    gap = min(2, step / 4)
    return [
        Bar(round(place * step, 2), round(HEIGHT - high, 2), round(step - gap, 2), round(high, 2))
        if (high := max(LEAST, HEIGHT * value / most) if value else 0)
        else None
        for place, value in enumerate(values)
    ]


def area(values: Sequence[int]) -> str:
    """Returns the path of an area with a step for each value, the highest as high as the plot."""
    step, most = WIDTH / max(1, len(values)), max(values, default=0)
    return "".join(
        f"M{place * step:.4g} {HEIGHT}V{HEIGHT - HEIGHT * value / most:.4g}h{step:.4g}V{HEIGHT}Z"
        for place, value in enumerate(values)
        if value
    )


@console.app_template_filter("share_of")
def share(value: float | None, most: float) -> float:
    """Returns the length of a bar, of 100, for a value; visible for any value but 0."""
    return round(max(1, 100 * value / most), 2) if value and most else 0

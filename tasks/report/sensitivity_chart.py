"""Draw what the accuracy of each system would be if raters share errors, one small panel per system."""

import functools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import altair as alt
from markupsafe import Markup

from tasks.report.chart_specification import WIDTH, draw, styled

_ACROSS = 2  # panels beside each other
_AXES = 44  # user units for the labels and the title of the upright axis
_BETWEEN = 24
_HEIGHT = 100
_X, _Y = "share of items wrong together", "accuracy"


@dataclass(frozen=True)
class SensitivityPoint:
    """The accuracy if raters agree on a wrong label on this share of the items; low and high: its interval or None."""

    share: float
    accuracy: float
    tip: str
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True)
class SensitivityPanel:
    """One system: its name and its points, by share."""

    name: str
    points: tuple[SensitivityPoint, ...]


def sensitivity_chart(panels: Sequence[SensitivityPanel], *, label: str) -> Markup:
    """Draw accuracy against share as a line with dots for each system, on common axes, intervals as upright lines."""
    rows = [{"panel": place, **vars(point)} for place, panel in enumerate(panels) for point in panel.points]
    shares = sorted({point.share for panel in panels for point in panel.points})
    parameters = {"names": [panel.name for panel in panels], "shares": shares}
    return draw(_specification(min(len(panels), _ACROSS)), {"rows": rows}, parameters, label)


@functools.cache
def _specification(across: int) -> dict[str, Any]:
    x = (
        alt.X("share:Q")
        .scale(zero=False, nice=False, padding=10)
        .axis(values=alt.ExprRef("shares"), format=".0%", grid=False)
        .title(_X)
    )
    scale = alt.Scale(zero=False, nice=True, padding=4)
    axis = alt.Axis(tickCount=4, format=".2~f")
    line = alt.Chart().encode(x=x, y=alt.Y("accuracy:Q", scale=scale, axis=axis).title(_Y))
    ends = alt.Chart().encode(x=x, y=alt.Y("low:Q", scale=scale, axis=axis).title(_Y), y2="high:Q")
    interval = ends.transform_filter("datum.low != null").mark_rule(strokeWidth=3, opacity=0.45, aria=False)
    dots = line.mark_circle(size=36, opacity=1).encode(description="tip:N", color=alt.value("var(--accent)"))
    drawn = alt.layer(
        interval.encode(color=alt.value("var(--accent)")),
        line.mark_line(color="var(--accent)", strokeWidth=2, aria=False),
        dots,
        width=(WIDTH - _AXES - _BETWEEN * (across - 1)) / across,
        height=_HEIGHT,
    )
    header = alt.Header(
        title=None,
        labelExpr="names[datum.value]",
        labelAnchor="start",
        labelColor="var(--ink)",
        labelFontSize=12,
        labelLimit=180,
        labelPadding=4,
    )
    panels = drawn.facet(alt.Facet("panel:O", header=header), data=alt.NamedData("rows"), columns=across)
    return styled(panels.properties(spacing=_BETWEEN))

"""Draw four kinds of chart as static SVG, described with altair (no script in the page).

Each kind is built once as a specification without data. Drawing one puts rows and parameters into it.
"""

import functools
import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import altair as alt
from markupsafe import Markup

from tasks.report.chart_specification import AXIS_WIDTH, TICKS, WIDTH, configured, draw
from tasks.report.formatting import shortened

_TITLE = "@title"
_MAX_TEXT_CELLS = 12  # a heat map of more raters has no room for numbers in its cells


@dataclass(frozen=True)
class Point:
    """One period: x in any unit that grows with time, its name on the axis, estimate and interval or None.

    `is_faint`: too few items, so that it is not drawn as a fact. An outer interval is a paler band.
    """

    x: float
    name: str
    tip: str
    estimate: float | None
    low: float | None
    high: float | None
    is_faint: bool = False
    outer_low: float | None = None
    outer_high: float | None = None


@dataclass(frozen=True)
class Limit:
    """What a figure must not fall below, and its name on the chart."""

    value: float
    name: str


@dataclass(frozen=True)
class Mark:
    """A moment to mark on a chart over time, by the unit of its points: an alert."""

    x: float
    name: str
    tip: str


@dataclass(frozen=True)
class Ranked:
    """One system or rater: the estimate with its inner and outer interval, and for systems the range over models."""

    name: str
    tip: str
    is_system: bool
    estimate: float
    low: float | None
    high: float | None
    spread_low: float | None = None
    spread_high: float | None = None
    outer_low: float | None = None
    outer_high: float | None = None


@dataclass(frozen=True)
class Cell:
    """One pair of raters, by their places in the list of names."""

    row: int
    column: int
    value: float
    tip: str
    address: str | None = None


@dataclass(frozen=True)
class Bar:
    """How many items lie between two values."""

    low: float
    high: float
    n_items: int
    tip: str


def trend_chart(
    points: Sequence[Point],
    *,
    overall: float | None,
    domain: tuple[float, float],
    label: str,
    marks: Sequence[Mark] = (),
    limit: Limit | None = None,
    title: str | None = None,
) -> Markup:
    """Draw estimates over time as a line with its interval band; `title` says what the upright axis shows.

    The figure over all ratings, or what it is held against, is a dotted line, a limit a dashed one with its name. The
    line leaves out faint points. `marks` are upright lines; those outside the points are left out.
    """
    ticks = _spread_out(points)
    first, last = (min(point.x for point in points), max(point.x for point in points)) if points else (0.0, 0.0)
    return draw(
        json.loads(_trend().replace(json.dumps(_TITLE), json.dumps(title))),
        {
            "rows": [vars(point) for point in points],
            "thin": [vars(point) for point in points] if any(point.is_faint for point in points) else [],
            "outer": [vars(point) for point in points] if any(point.outer_low is not None for point in points) else [],
            "overall": [{"overall": overall}] if overall is not None else [],
            "limit": [{"limit": limit.value, "name": limit.name}] if limit else [],
            "marks": [vars(mark) for mark in marks if first <= mark.x <= last],
        },
        {"ticks": [tick.x for tick in ticks], "names": [tick.name for tick in ticks], "domain": list(domain)},
        label,
    )


def ranking_chart(rows: Sequence[Ranked], *, reference: float | None, label: str) -> Markup:
    """Draw systems and raters with whiskers, in their order. `reference` is a dotted line."""
    values = [{"row": place, **vars(row)} for place, row in enumerate(rows)]
    references = [] if reference is None else [{"reference": reference}]
    return draw(_ranking(), {"rows": values, "reference": references}, {"names": [row.name for row in rows]}, label)


def pairwise_chart(names: Sequence[str], cells: Sequence[Cell], *, label: str) -> Markup:
    """Draw the agreement of each pair as a lower triangle: closer is darker, below zero has another colour.

    Cells with an address lead there.
    """
    values = [{**vars(cell), "text": f"{cell.value:.2f}".replace("-", "−")} for cell in cells]
    spec = _pairs(len(names) <= _MAX_TEXT_CELLS)
    height = max(12, min(34, round((WIDTH - 90) / len(names))))
    links = {shortened(cell.tip, 300): cell.address for cell in cells if cell.address}
    return draw({**spec, "height": {"step": height}}, {"rows": values}, {"names": list(names)}, label, links)


def histogram(bars: Sequence[Bar], *, title: str, label: str) -> Markup:
    """Draw how many items lie in each part of the range from 0 to 1; `title` says of what, below the axis."""
    spec = json.loads(_histogram().replace(json.dumps(_TITLE), json.dumps(title)))
    return draw(spec, {"rows": [vars(bar) for bar in bars]}, {}, label)


def draw_first_chart() -> None:
    """Draw a chart and drop it, because the first chart of a process takes half a second longer than the others."""
    trend_chart([Point(0.0, "", "", 0.5, 0.4, 0.6)], overall=0.5, domain=(0.0, 1.0), label="")


def trend_domain(points: Sequence[Point], limit: Limit | None = None) -> tuple[float, float]:
    """Return a range in steps of 0.2 that holds all figures and the limit, within [-1, 1] and at least 0.4 wide."""
    ends = ("estimate", "low", "high", "outer_low", "outer_high")
    values = [v for point in points for v in (getattr(point, end) for end in ends) if v is not None]
    values += [limit.value] if limit else []
    low = max(-1.0, math.floor(min(values, default=0.0) * 5 + 1e-9) / 5)
    high = min(1.0, math.ceil(max(values, default=1.0) * 5 - 1e-9) / 5)
    while high - low < 0.4 - 1e-9:
        low, high = (low - 0.2, high) if low > -0.9 else (low, high + 0.2)
    return round(low, 1), round(high, 1)


@functools.cache
def _trend() -> str:
    """Return the specification as JSON, where _TITLE stands for the title of the upright axis."""
    x = (
        alt.X("x:Q")
        .scale(zero=False, nice=False, padding=12)
        .axis(
            values=alt.ExprRef("ticks"), labelExpr="names[indexof(ticks, datum.value)]", grid=False, labelOverlap=True
        )
        .title(None)
    )
    rows = alt.Chart(alt.NamedData("rows")).encode(x=x)
    marks = alt.Chart(alt.NamedData("marks")).encode(x=x)
    rules = marks.mark_rule(color="var(--bad)", strokeWidth=1.5).encode(description="tip:N")
    names = marks.mark_text(
        color="var(--bad)", align="left", baseline="top", dx=4, dy=2, fontSize=11, aria=False
    ).encode(y=alt.value(0), text="name:N")
    scale = alt.Scale(domain=alt.ExprRef("domain"), clamp=True)
    axis = alt.Axis(tickCount=TICKS, format=".1f", minExtent=AXIS_WIDTH)
    y = alt.Y("estimate:Q", scale=scale, axis=axis).title(_TITLE)
    low = alt.Y("low:Q", scale=scale, axis=axis).title(_TITLE)
    band = rows.mark_area(color="var(--accent)", opacity=0.16, aria=False).encode(y=low, y2="high:Q")
    outer_low = alt.Y("outer_low:Q", scale=scale, axis=axis).title(_TITLE)
    outer = (
        alt.Chart(alt.NamedData("outer"))
        .encode(x=x)
        .mark_area(color="var(--accent)", opacity=0.09, aria=False)
        .encode(y=outer_low, y2="outer_high:Q")
    )
    thin = (
        alt.Chart(alt.NamedData("thin"))
        .encode(x=x)
        .mark_line(color="var(--accent)", strokeWidth=1, opacity=0.35, aria=False)
        .encode(y=y)
    )
    line = (
        rows.transform_filter("!datum.is_faint").mark_line(color="var(--accent)", strokeWidth=2, aria=False).encode(y=y)
    )
    dots = rows.mark_circle(  # the stroke nobody sees is what a pointer finds
        color="var(--accent)", size=26, stroke="var(--accent)", strokeOpacity=0, strokeWidth=16
    ).encode(
        y=y,
        description="tip:N",
        opacity=alt.condition("datum.is_faint", alt.value(0.35), alt.value(1)),
    )
    overall = alt.Chart(alt.NamedData("overall")).mark_rule(color="var(--muted)", strokeDash=[2, 4], aria=False)
    always = alt.Y("overall:Q", scale=scale, axis=axis).title(_TITLE)
    limit = alt.Chart(alt.NamedData("limit")).encode(
        y=alt.Y("limit:Q", scale=scale, axis=axis).title(_TITLE), description="name:N"
    )
    limits = limit.mark_rule(color="var(--warn)", strokeDash=[7, 4], strokeWidth=1.5) + limit.mark_text(
        color="var(--warn)", align="right", baseline="bottom", dx=-2, dy=-3, fontSize=11, aria=False
    ).encode(x=alt.value(alt.expr("width")), text="name:N")
    drawn = overall.encode(y=always) + outer + band + thin + line + dots + limits + rules + names
    return json.dumps(configured(drawn, height=150))


@functools.cache
def _ranking() -> dict[str, Any]:
    rows = alt.Chart(alt.NamedData("rows")).encode(
        y=alt.Y("row:O").axis(labelExpr="names[datum.value]", labelLimit=140, labelPadding=8, grid=False).title(None)
    )
    x = (
        alt.X("estimate:Q")
        .scale(zero=False, nice=True)
        .axis(tickCount=TICKS, format=".2~f", grid=True)
        .title("accuracy")
    )
    colour = (
        alt.Color("is_system:N").legend(None).scale(domain=[True, False], range=["var(--accent)", "var(--neutral)"])
    )
    spread = rows.mark_rule(color="var(--accent)", opacity=0.22, strokeWidth=9, aria=False).encode(
        x=alt.X("spread_low:Q").title("accuracy"), x2="spread_high:Q"
    )
    bars = rows.mark_rule(strokeWidth=3, aria=False).encode(
        x=alt.X("low:Q").title("accuracy"), x2="high:Q", color=colour
    )
    outer = rows.mark_rule(strokeWidth=1, aria=False).encode(
        x=alt.X("outer_low:Q").title("accuracy"), x2="outer_high:Q", color=colour
    )
    shape = alt.Shape("is_system:N").legend(None).scale(domain=[True, False], range=["diamond", "circle"])
    dots = rows.mark_point(filled=True, size=85, opacity=1).encode(x=x, color=colour, shape=shape, description="tip:N")
    reference = alt.Chart(alt.NamedData("reference")).mark_rule(color="var(--muted)", strokeDash=[2, 4], aria=False)
    return configured(
        reference.encode(x=alt.X("reference:Q").title("accuracy")) + spread + outer + bars + dots, height=alt.Step(25)
    )


@functools.cache
def _histogram() -> str:
    """Return the specification as JSON, where _TITLE stands for the title of the level axis."""
    x = alt.X("low:Q").scale(domain=[0, 1]).axis(tickCount=TICKS, format=".1f", grid=False).title(_TITLE)
    y = alt.Y("n_items:Q").axis(tickCount=TICKS, tickMinStep=1, format=",.0f").title("items")
    bars = alt.Chart(alt.NamedData("rows")).mark_bar(orient="vertical", color="var(--accent)", opacity=0.7)
    return json.dumps(configured(alt.layer(bars.encode(x=x, x2="high:Q", y=y, description="tip:N")), height=110))


@functools.cache
def _pairs(with_text: bool) -> dict[str, Any]:
    def axis(angle: int) -> alt.Axis:
        return alt.Axis(labelExpr="names[datum.value]", labelLimit=96, labelAngle=angle, grid=False, title=None)

    base = alt.Chart(alt.NamedData("rows")).encode(x=alt.X("column:O", axis=axis(-60)), y=alt.Y("row:O", axis=axis(0)))
    cells = (
        base.transform_calculate(strength="abs(datum.value)", negative="datum.value < 0")
        .mark_rect(stroke="var(--paper)")
        .encode(
            opacity=alt.Opacity("strength:Q").legend(None).scale(domain=[0, 1], range=[0.04, 0.7], clamp=True),
            color=alt.Color("negative:N")
            .legend(None)
            .scale(domain=[False, True], range=["var(--heat)", "var(--heat-below)"]),
            description="tip:N",
        )
    )
    text = base.mark_text(color="var(--ink)", fontSize=10.5, aria=False).encode(text="text:N")
    return configured(alt.layer(cells, text) if with_text else alt.layer(cells), height=alt.Step(20))


def _spread_out(points: Sequence[Point]) -> Sequence[Point]:
    """Choose at most five of the points, evenly spread, for the names on the axis."""
    return points[:: max(1, math.ceil((len(points) - 1) / (TICKS - 1)))]

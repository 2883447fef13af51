"""The charts of the simulation page: estimated against true accuracy, as static SVG.

Dots are strokes of length zero in one path, which keeps a page with 14,000 of them small. Each method has a mark and a
class m0, m1, ..., from which the style sheet takes its colour.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from markupsafe import Markup

from stats.accuracy import ESTIMATORS
from tasks.report.formatting import number

N_COLOURS = 9  # classes m0..m8 in the style sheet
MARKS = ("circle", "square", "triangle", "diamond")
MAX_METHODS_WITH_DOTS = 3  # the dots of more methods would hide each other
_LEFT, _TOP, _SIDE = 30, 6, 258
_MAX_STEP = 8.0  # between the methods at one level
_MARK = {
    "circle": "M-3.6 0a3.6 3.6 0 1 0 7.2 0a3.6 3.6 0 1 0-7.2 0z",
    "square": "M-3.3-3.3h6.6v6.6h-6.6z",
    "triangle": "M0-4.4l4.3 7.6h-8.6z",
    "diamond": "M0-4.7l4.7 4.7l-4.7 4.7l-4.7-4.7z",
}


@dataclass(frozen=True)
class Level:
    """The estimates of one system by one method.

    `mean`, `low` and `high` are the mean and the 5-95 % range over the runs, and None without an estimate. `truth` is
    the mean expected accuracy. `dots` are (in-sample accuracy, estimate) of single runs.
    """

    method: str
    truth: float
    mean: float | None
    low: float | None
    high: float | None
    dots: Sequence[tuple[float, float]]


def colour_class(method: str) -> str:
    """Return the CSS class of a method, which is the same on every page.

    >>> colour_class("average"), colour_class("lehner")
    ('m0', 'm1')
    """
    return f"m{list(ESTIMATORS).index(method) % N_COLOURS}"


def mark(method: str, x: float = 0.0, y: float = 0.0) -> Markup:
    """Draw the mark of a method around a point."""
    shape = MARKS[list(ESTIMATORS).index(method) % len(MARKS)]
    return Markup('<path class="mark" transform="translate({:.1f} {:.1f})" d="{}"/>').format(x, y, _MARK[shape])


def legend_mark(method: str) -> Markup:
    """Draw the mark of a method with its range, for a legend."""
    return Markup(
        '<svg class="key {}" viewBox="-8 -9 16 18" aria-hidden="true"><path class="range" d="M0-8V8"/>{}</svg>'
    ).format(colour_class(method), mark(method))


def expected_chart(levels: Sequence[Level], methods: Sequence[str], *, label: str) -> Markup:
    """Draw the mean and range of each method against the expected accuracy, with a line at the truth."""
    scale = _scale_for(levels)
    truths = sorted({level.truth for level in levels})
    step = _step([scale.x(truth) for truth in truths], len(methods))
    half = step * len(methods) / 2
    lines = "".join(f"M{scale.x(t) - half:.1f} {scale.y(t):.1f}h{2 * half:.1f}" for t in truths)
    drawings = [Markup('<path class="truth" d="{}"/>').format(lines)]
    for place, method in enumerate(methods):
        shift = step * (place - (len(methods) - 1) / 2)
        method_levels = [level for level in levels if level.method == method]
        drawings.append(
            _draw_method(method, method_levels, scale, shift, with_dots=len(methods) <= MAX_METHODS_WITH_DOTS)
        )
    return _chart(drawings, scale, "expected accuracy", label)


def in_sample_chart(levels: Sequence[Level], methods: Sequence[str], *, label: str) -> Markup:
    """Draw one dot per run against the accuracy on the items of that run."""
    scale, drawings = _scale_for(levels), []
    for method in methods:
        dots = [dot for level in levels if level.method == method for dot in level.dots]
        path = "".join(f"M{scale.x(x):.0f} {scale.y(y):.0f}h0" for x, y in dots)
        drawings.append(Markup('<path class="dots far {}" d="{}"/>').format(colour_class(method), path))
    return _chart(drawings, scale, "accuracy on the run's items", label)


def bars(values: Mapping[str, float | None]) -> dict[str, Markup]:
    """Draw a bar for each value, for a table cell. The largest value has the full length."""
    largest = max((value for value in values.values() if value is not None), default=0.0) or 1.0
    return {
        name: Markup()
        if value is None
        else Markup('<svg class="bar {}" viewBox="0 0 160 14" aria-hidden="true"><path d="M0 7H{:.1f}"/></svg>').format(
            colour_class(name), 156 * value / largest
        )
        for name, value in values.items()
    }


@dataclass(frozen=True)
class _Scale:
    """The scale of both axes of a chart, from `low` to 1."""

    low: float

    @property
    def ticks(self) -> list[float]:
        step = 0.2 if self.low < 0.5 else 0.1
        return [round(self.low + place * step, 1) for place in range(round((1 - self.low) / step) + 1)]

    def x(self, value: float) -> float:
        return _LEFT + _SIDE * (value - self.low) / (1 - self.low)

    def y(self, value: float) -> float:
        return _TOP + _SIDE * (1 - value) / (1 - self.low)


def _scale_for(levels: Sequence[Level]) -> _Scale:
    """Return a scale from 0, or from the multiple of .2 below all systems and estimates."""
    values = [value for level in levels for value in (level.truth, level.low) if value is not None]
    values += [value for level in levels for dot in level.dots for value in dot]
    return _Scale(min(int(min(values, default=0.0) * 5) / 5, 0.8))


def _draw_method(method: str, levels: Sequence[Level], scale: _Scale, shift: float, *, with_dots: bool) -> Markup:
    dots, ranges, marks = "", "", Markup()
    for level in levels:
        x = scale.x(level.truth) + shift
        if level.mean is None or level.low is None or level.high is None:
            continue
        dots += "".join(f"M{x:.1f} {scale.y(estimate):.0f}h0" for _, estimate in level.dots)
        ranges += f"M{x:.1f} {scale.y(level.low):.1f}V{scale.y(level.high):.1f}"
        tip = f"{method}: mean {number(level.mean)} where {number(level.truth)} is true"
        tip += f"; 90 % of the runs between {number(level.low)} and {number(level.high)}"
        marks += Markup("<g><title>{}</title>{}</g>").format(tip, mark(method, x, scale.y(level.mean)))
    cloud = Markup('<path class="dots" d="{}"/>').format(dots) if with_dots else Markup()
    return Markup('<g class="{}">{}<path class="range" d="{}"/>{}</g>').format(
        colour_class(method), cloud, ranges, marks
    )


def _chart(drawings: Sequence[Markup], scale: _Scale, x_title: str, label: str) -> Markup:
    """Draw grid, diagonal and axes below the parts."""
    end, bottom = _LEFT + _SIDE, _TOP + _SIDE
    grid = "".join(f"M{scale.x(t):.1f} {_TOP}V{bottom}M{_LEFT} {scale.y(t):.1f}H{end}" for t in scale.ticks)
    names = [_text(scale.x(t), bottom + 14, "middle", f"{t:g}") for t in scale.ticks]
    names += [_text(_LEFT - 5, scale.y(t) + 4, "end", f"{t:g}") for t in scale.ticks]
    titles = _text(_LEFT + _SIDE / 2, bottom + 29, "middle", x_title, "title")
    titles += _text(_LEFT + 5, _TOP + 14, "start", "estimate", "title")
    return Markup(
        '<svg class="chart" viewBox="0 0 {} {}" role="img" aria-label="{}"><path class="grid" d="{}"/>'
        '<path class="diagonal" d="M{} {}L{} {}"/>{}{}{}</svg>'
    ).format(
        end + 8,
        bottom + 32,
        label,
        grid,
        _LEFT,
        bottom,
        end,
        _TOP,
        Markup().join(names),
        Markup().join(drawings),
        titles,
    )


def _text(x: float, y: float, anchor: str, text: str, name: str = "tick") -> Markup:
    return Markup('<text class="{}" x="{:.1f}" y="{:.1f}" text-anchor="{}">{}</text>').format(name, x, y, anchor, text)


def _step(places: Sequence[float], n_methods: int) -> float:
    """Return the distance between methods at one level at which neighbouring levels stay apart."""
    gaps = [after - before for before, after in pairwise(places)]
    return min(_MAX_STEP, 0.8 * min(gaps, default=float(_SIDE)) / n_methods)

"""The charts of the simulation page: estimated against true accuracy, as static SVG.

Dots are zero-length strokes of one path, which keeps a page of 14,000 of them small. Colours come from the style, by
the classes m0, m1, ... that stand for the methods; a method also has a mark of its own.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from markupsafe import Markup

from stats.accuracy import ESTIMATORS
from tasks.report.formatting import number

COLOURS = 9  # classes m0..m8 in the style
MARKS = ("circle", "square", "triangle", "diamond")
WITH_DOTS = 3  # more methods than these would hide each other
_LEFT, _TOP, _SIDE = 30, 6, 258
_STEP = 8.0  # between the methods at one level
_MARK = {
    "circle": "M-3.6 0a3.6 3.6 0 1 0 7.2 0a3.6 3.6 0 1 0-7.2 0z",
    "square": "M-3.3-3.3h6.6v6.6h-6.6z",
    "triangle": "M0-4.4l4.3 7.6h-8.6z",
    "diamond": "M0-4.7l4.7 4.7l-4.7 4.7l-4.7-4.7z",
}


@dataclass(frozen=True)
class Level:
    """One system and method: mean estimate and 5-95 % range over the runs at the mean expected accuracy `truth`; None
    where no run gave an estimate. dots are (in-sample accuracy, estimate) of single runs."""

    method: str
    truth: float
    mean: float | None
    low: float | None
    high: float | None
    dots: Sequence[tuple[float, float]]


def colour_class(method: str) -> str:
    """The same on every page, whatever else is shown.

    >>> colour_class("average"), colour_class("lehner")
    ('m0', 'm1')
    """
    return f"m{list(ESTIMATORS).index(method) % COLOURS}"


def mark(method: str, x: float = 0.0, y: float = 0.0) -> Markup:
    """The method's mark around a point."""
    shape = MARKS[list(ESTIMATORS).index(method) % len(MARKS)]
    return Markup('<path class="mark" transform="translate({:.1f} {:.1f})" d="{}"/>').format(x, y, _MARK[shape])


def legend_mark(method: str) -> Markup:
    """The mark with its whisker, for a legend."""
    return Markup(
        '<svg class="key {}" viewBox="-8 -9 16 18" aria-hidden="true"><path class="range" d="M0-8V8"/>{}</svg>'
    ).format(colour_class(method), mark(method))


def expected_chart(levels: Sequence[Level], methods: Sequence[str], *, label: str) -> Markup:
    """Against the expected accuracy: mean and range of each method beside the others, above a line at the truth."""
    scale = _scale_for(levels)
    truths = sorted({level.truth for level in levels})
    step = _step([scale.x(truth) for truth in truths], len(methods))
    half = step * len(methods) / 2
    lines = "".join(f"M{scale.x(t) - half:.1f} {scale.y(t):.1f}h{2 * half:.1f}" for t in truths)
    parts = [Markup('<path class="truth" d="{}"/>').format(lines)]
    for place, method in enumerate(methods):
        shift = step * (place - (len(methods) - 1) / 2)
        mine = [level for level in levels if level.method == method]
        parts.append(_method(method, mine, scale, shift, with_dots=len(methods) <= WITH_DOTS))
    return _framed(parts, scale, "expected accuracy", label)


def in_sample_chart(levels: Sequence[Level], methods: Sequence[str], *, label: str) -> Markup:
    """Against the accuracy on each run's own items: one dot per run."""
    scale, parts = _scale_for(levels), []
    for method in methods:
        dots = [dot for level in levels if level.method == method for dot in level.dots]
        path = "".join(f"M{scale.x(x):.0f} {scale.y(y):.0f}h0" for x, y in dots)
        parts.append(Markup('<path class="dots far {}" d="{}"/>').format(colour_class(method), path))
    return _framed(parts, scale, "accuracy on the run's items", label)


def bars(values: Mapping[str, float | None]) -> dict[str, Markup]:
    """A bar for each value, the longest at full length, for a table's cell."""
    most = max((value for value in values.values() if value is not None), default=0.0) or 1.0
    return {
        name: Markup()
        if value is None
        else Markup('<svg class="bar {}" viewBox="0 0 160 14" aria-hidden="true"><path d="M0 7H{:.1f}"/></svg>').format(
            colour_class(name), 156 * value / most
        )
        for name, value in values.items()
    }


@dataclass(frozen=True)
class _Scale:
    """Both axes of a chart, from `low` to 1."""

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
    """From 0, or from a multiple of .2 where systems and estimates lie above it."""
    values = [value for level in levels for value in (level.truth, level.low) if value is not None]
    values += [value for level in levels for dot in level.dots for value in dot]
    return _Scale(min(int(min(values, default=0.0) * 5) / 5, 0.8))


def _method(method: str, levels: Sequence[Level], scale: _Scale, shift: float, *, with_dots: bool) -> Markup:
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


def _framed(parts: Sequence[Markup], scale: _Scale, x_title: str, label: str) -> Markup:
    """Grid, diagonal and axes under the parts."""
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
        end + 8, bottom + 32, label, grid, _LEFT, bottom, end, _TOP, Markup().join(names), Markup().join(parts), titles
    )


def _text(x: float, y: float, anchor: str, text: str, name: str = "tick") -> Markup:
    return Markup('<text class="{}" x="{:.1f}" y="{:.1f}" text-anchor="{}">{}</text>').format(name, x, y, anchor, text)


def _step(places: Sequence[float], n_methods: int) -> float:
    """Between methods at one level, so that neighbouring levels stay apart."""
    gaps = [after - before for before, after in pairwise(places)]
    return min(_STEP, 0.8 * min(gaps, default=float(_SIDE)) / n_methods)

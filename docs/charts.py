"""Draw the charts of docs/explanation: `python -m docs.charts`. Nothing is drawn at random but with a fixed seed.

`tests/test_charts.py` fails while a chart in docs/images is out of date.
"""

from collections.abc import Callable, Iterator
from pathlib import Path

import polars as pl

from stats.simulate import FIGURES, simulate

IMAGES = Path(__file__).parent / "images"
INK, PALE, BLUE, ORANGE = "#333333", "#cccccc", "#1f6fb4", "#d9822b"
SIZE = 210  # pixels along one axis of a chart
RUNS, SEED = 40, 1
PANELS = {6: "50 items, raters .6,|nothing violated", 10: "200 items, raters .5 to .7,|all violated",
          9: "200 items, raters .3 to .5,|all violated"}  # fmt: skip
CONTRASTS = ((-3, "lehner", ORANGE), (3, "average", BLUE))


def main() -> None:
    """Write every chart of CHARTS."""
    for name, draw in CHARTS.items():
        (IMAGES / name).write_text(draw(), encoding="utf-8")
        print(f"wrote {IMAGES / name}")


def agreement() -> str:
    """How often two raters agree, by how often each of them is right: a curve for each number of labels."""
    left, top, wide, high = 60, 20, 420, 260

    def x(share: float) -> float:
        return left + wide * share

    def y(share: float) -> float:
        return top + high * (1 - share)

    elements = [*_axes(left, top, wide, high, "each rater is right", "two raters agree")]
    for n, shade in ((2, PALE), (3, "#888888"), (5, BLUE)):
        steps = [1 / n + (1 - 1 / n) * s / 60 for s in range(61)]
        points = " ".join(f"{x(p):.1f},{y(p * p + (1 - p) ** 2 / (n - 1)):.1f}" for p in steps)
        elements += [f'<polyline points="{points}" fill="none" stroke="{shade}" stroke-width="2.5"/>']
        elements += [_text(x(1 / n) - 8, y(1 / n) + 4, f"{n} labels", "end", shade if n == 5 else INK)]
    elements += [_line(x(0), y(0.4), x(0.6), y(0.4), dashed=True), _line(x(0.6), y(0.4), x(0.6), y(0), dashed=True)]
    elements += [_dot(x(0.6), y(0.4), 5, BLUE), _text(x(0.6) + 10, y(0.4) + 16, "agree on .40: right in .60")]
    return _svg(500, 330, "Agreement of two raters by their accuracy", elements)


def bayes() -> str:
    """100 messages of which 20 are spam; those that one, and then two raters call spam. Each rater is right in .8."""
    rows = (
        ("100 messages", 20, 80, "20 are spam: .20"),
        ("a rater says spam", 16, 16, "16 of 32: .50"),
        ("a second one, too", 13, 3, "13 of 16: .80"),
    )
    elements, top = [], 24
    for word, spam, other, share in rows:
        elements += [_text(130, top + 14, word, "end"), _text(560, top + 14, share, weight="bold")]
        for number in range(spam + other):
            cx, cy = 150 + 15 * (number // 4), top + 15 * (number % 4)
            elements += [_dot(cx, cy, 5, BLUE if number < spam else "none", BLUE if number < spam else "#888888")]
        top += 82
    elements += [_dot(150, top + 4, 5, BLUE), _text(162, top + 9, "spam")]
    elements += [_dot(230, top + 4, 5, "none", "#888888"), _text(242, top + 9, "not spam")]
    return _svg(690, top + 24, "Bayes' rule in dots: of 100 messages, which are spam?", elements)


def estimates() -> str:
    """Estimated against true accuracy in three of the source paper's settings: mean and 10 to 90 % of the runs."""
    elements = []
    for column, (figure, title) in enumerate(PANELS.items()):
        left, top = 56 + column * (SIZE + 46), 48
        elements += [_text(left, top - 30 + 15 * n, line) for n, line in enumerate(title.split("|"))]
        elements += [*_axes(left, top, SIZE, SIZE, "true accuracy", "estimate" if column == 0 else "")]
        elements += [_line(left, top + SIZE, left + SIZE, top, dashed=True)]
        for (method, truth), low, high, mean in _simulated(figure):
            shift, colour = next((shift, colour) for shift, name, colour in CONTRASTS if name == method)
            cx = left + SIZE * truth + shift
            low, high, mean = (top + SIZE * (1 - value) for value in (low, high, mean))
            elements += [_line(cx, low, cx, high, colour, 2), _dot(cx, mean, 4, colour)]
    for place, (_, name, colour) in enumerate(CONTRASTS):
        elements += [_dot(70 + 90 * place, 310, 4, colour), _text(80 + 90 * place, 314, name)]
    elements += [_text(250, 314, "dot: mean; line: four of five runs; dashed: what is right")]
    return _svg(800, 326, "Estimated against true accuracy in three settings", elements)


def _simulated(figure: int) -> list[tuple[tuple[str, float], float, float, float]]:
    runs = simulate(FIGURES[figure], runs=RUNS, seed=SEED, methods=[name for _, name, _ in CONTRASTS])
    each = pl.col("estimate")
    levels = runs.group_by("method", "system_accuracy").agg(
        pl.col("expected_accuracy").mean(),
        low=each.quantile(0.1, "linear"), high=each.quantile(0.9, "linear"), mean=each.mean(),
    )  # fmt: skip
    rows = levels.sort("method", "system_accuracy").iter_rows(named=True)
    return [((row["method"], row["expected_accuracy"]), row["low"], row["high"], row["mean"]) for row in rows]


def _axes(left: float, top: float, wide: float, high: float, across: str, up: str) -> Iterator[str]:
    yield _line(left, top + high, left + wide, top + high)
    yield _line(left, top, left, top + high)
    for step in (0, 0.2, 0.4, 0.6, 0.8, 1):
        yield _text(left + wide * step, top + high + 16, f"{step:g}", "middle")
        yield _text(left - 6, top + high * (1 - step) + 4, f"{step:g}", "end")
    yield _text(left + wide / 2, top + high + 34, across, "middle")
    turned = f'transform="rotate(-90 {left - 36:.0f} {top + high / 2:.0f})"'
    yield _text(left - 36, top + high / 2, up, "middle", more=turned) if up else ""


def _line(
    x1: float, y1: float, x2: float, y2: float, stroke: str = INK, width: int = 1, *, dashed: bool = False
) -> str:
    dashes = ' stroke-dasharray="4 4"' if dashed else ""
    ends = f'x1="{x1:.0f}" y1="{y1:.0f}" x2="{x2:.0f}" y2="{y2:.0f}"'
    return f'<line {ends} stroke="{stroke}" stroke-width="{width}"{dashes}/>'


def _dot(cx: float, cy: float, r: float, fill: str, stroke: str = "none") -> str:
    return f'<circle cx="{cx:.0f}" cy="{cy:.0f}" r="{r:g}" fill="{fill}" stroke="{stroke}"/>'


def _text(
    x: float, y: float, text: str, anchor: str = "start", fill: str = INK, *, weight: str = "", more: str = ""
) -> str:
    extra = (f' font-weight="{weight}"' if weight else "") + (f" {more}" if more else "")
    return f'<text x="{x:.0f}" y="{y:.0f}" text-anchor="{anchor}" fill="{fill}"{extra}>{text}</text>'


def _svg(width: int, height: int, title: str, elements: list[str]) -> str:
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
        f'role="img" font-family="sans-serif" font-size="13">'
    )
    body = [f"<title>{title}</title>", '<rect width="100%" height="100%" fill="#ffffff"/>', *filter(None, elements)]
    return "\n".join([head, *body, "</svg>"]) + "\n"


CHARTS: dict[str, Callable[[], str]] = {
    "agreement.svg": agreement,
    "bayes.svg": bayes,
    "estimates.svg": estimates,
}

if __name__ == "__main__":
    main()

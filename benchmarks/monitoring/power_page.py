"""The tables of docs/monitoring-power.md, from the rows that `benchmarks.monitoring.power` measured."""

from collections.abc import Sequence
from pathlib import Path
from statistics import median

import polars as pl

from benchmarks.page import Table
from benchmarks.page import page as whole_page

PAGE = Path(__file__).parents[2] / "docs" / "monitoring-power.md"
KAPPAS = (0.4, 0.6, 0.8)

# What an earlier, independent simulation found, from which the detector was designed. By A; by raters, labels,
# correlation and A; by the share of random clicks and labels; items at A = 500.
DESIGN_ALARMS = {300: 0.465, 1000: 0.173, 3000: 0.067, 6000: 0.036}
DESIGN_HARD_DAY = "2 %"
DESIGN_FOUND = {
    (5, 5, 0.0, 1000): 0.98,
    (5, 5, 0.0, 6000): 0.86,
    (5, 5, 0.05, 1000): 0.76,
    (5, 5, 0.05, 6000): 0.53,
    (3, 5, 0.0, 1000): 0.81,
    (3, 5, 0.0, 6000): 0.64,
    (5, 2, 0.0, 1000): 0.67,
    (5, 2, 0.0, 6000): 0.51,
    (3, 2, 0.0, 1000): 0.45,
    (3, 2, 0.0, 6000): 0.19,
}
DESIGN_RATINGS = {(1.0, 2): "50", (1.0, 5): "50", (0.3, 2): "340", (0.3, 5): "174"}
DESIGN_ACCUSED = "0.2-0.6 %"
DESIGN_SYSTEM_ITEMS, DESIGN_BLAMED = {500: "300"}, {500: "2-14 %"}
DESIGN_PLAN = "0.78 to 1.42"
LOOKS = 300

INTRODUCTION = (
    """How often do the charts of `stats.monitoring` raise an alarm while nothing happens, and how soon do they find a
    change? Here ratings of {streams} streams for each setting are simulated day by day. They go through the same scores
    and the same detector as those of a project. `make monitoring-power` repeats it.""",
    """The *promise* is proved for looks that are Gaussian with known variances. For estimated variances it is
    measured here. *design* is what an earlier, independent simulation found, from which the detector was designed. Its
    worlds were similar, and not the same.""",
    """A rater knows the right label with probability sqrt(kappa), and otherwise guesses by the labels' shares, so
    that Fleiss' kappa is the given kappa. All raters rate all items. A look is a day with 20 items, of the raters'
    charts one with 10. The correlation is that of the agreement scores of a day's items: each day has a kappa of its
    own. Label shares are even, or uneven: .7 and .3, or .4, .25, .15, .12 and .08. The reference is the first 20 looks
    (30 of the raters' charts). A is the threshold.""",
)


def page(results: pl.DataFrame) -> str:
    """Return the whole page."""
    streams = int(results["streams"].to_numpy().max())
    error = 100 * (0.25 / streams) ** 0.5
    paragraphs = [text.replace("{streams}", f"{streams:,}") for text in INTRODUCTION]
    facts = {"Error by chance": f"a share of 50 % is off by {error:.1f} points or less in two of three cases"}
    note = "Written by `make monitoring-power`; do not edit."
    return whole_page("Charts: false alarms and power", note, paragraphs, facts, tables(results))


def tables(results: pl.DataFrame) -> list[Table]:
    """Return all tables."""
    sections = {name: results.filter(section=name) for name in results["section"].unique()}
    return [
        _false_alarms(sections["healthy"], sections["hard day"]),
        _drops(sections["drop"]),
        _plans(sections["drop"]),
        _raters(sections["rater"]),
        _systems(sections["system"], sections["people"]),
    ]


def _false_alarms(healthy: pl.DataFrame, hard_day: pl.DataFrame) -> Table:
    correlations = sorted(healthy["correlation"].unique())
    rows = []
    for (A,), cells in healthy.sort("threshold").group_by("threshold", maintain_order=True):
        largest = [cells.filter(correlation=rho)["alarms"].max() for rho in correlations]
        promise = min(1.0, LOOKS / float(str(A)))
        shares = [promise, DESIGN_ALARMS[int(str(A))], cells["alarms"].max(), *largest, cells["alarms"].mean()]
        rows.append([f"{A:,}", *map(_percent, shares)])
    n_cells = healthy.filter(threshold=healthy["threshold"].max()).height
    about = f"""The share of healthy streams that have any alarm of the agreement chart in {LOOKS} looks: 3 and 5
    raters, 2 and 5 labels, even and uneven, kappa .4, .6 and .8, correlation 0, .02 and .05, which makes {n_cells}
    settings. *largest* is that of the setting with most alarms."""
    worst = healthy.filter(threshold=1000).sort("alarms", descending=True).row(0, named=True)
    hard = hard_day.filter(threshold=1000)["alarms"]
    notes = (
        f"Most alarms at A = 1,000: {_world(worst)}.",
        f"One hard day, kappa .15 among days with .6 (correlation .02): at A = 1,000 an alarm on that day or the nine"
        f" looks after it in {_range(hard)} of streams by setting (design: {DESIGN_HARD_DAY}).",
    )
    by_correlation = [f"correlation {_short(rho)}" for rho in correlations]
    header = ("A", "promise", "design", "largest", *by_correlation, "mean")
    return Table("False alarms", about, header, rows, notes)


def _drops(drops: pl.DataFrame) -> Table:
    rows = []
    keys = ["raters", "labels", "shares", "correlation"]
    for key, cells in drops.sort("shares", "correlation", *keys).group_by(keys, maintain_order=True):
        raters, labels, shares, rho = key
        row = [str(raters), str(labels), str(shares), _short(rho)]
        for A in (1000, 6000):
            row.append(_percent(DESIGN_FOUND.get((raters, labels, rho, A))))
            row += [_percent(cells.filter(threshold=A, kappa=kappa)["within"].item()) for kappa in KAPPAS]
        rows.append(row)
    about = """The share of streams in which a drop of .15 in kappa, after 5,000 good items, is found within 200 items,
    by the kappa before the drop. Streams with an alarm before the drop are left out."""
    by_threshold = [f"{text}, A = {A:,}" for A in (1000, 6000) for text in ("design", *(f"{k:g}" for k in KAPPAS))]
    return Table("A drop of .15 in kappa", about, ("raters", "labels", "shares", "correlation", *by_threshold), rows)


def _plans(drops: pl.DataFrame) -> Table:
    """Set the plans of `kappaflow plan --alarm` beside the measurement."""
    ratio = drops.select("shares", ratio=pl.col("plan_80") / pl.col("items_80")).drop_nulls()
    rows = []
    for cell in drops.filter(shares="even", kappa=0.6).sort("correlation", "raters", "labels", "threshold").to_dicts():
        items = [cell[name] for name in ("median", "plan_median", "items_80", "plan_80")]
        shares = [_percent(cell[name]) for name in ("within", "plan_power", "plan_best")]
        fixed = [str(cell["raters"]), str(cell["labels"]), _short(cell["correlation"]), f"{cell['threshold']:,}"]
        rows.append([*fixed, *map(_whole, items), *shares])
    about = """The same drop, from kappa .6 with even label shares: items until the alarm in half of the streams and in
    80 %, measured and by the formula of `kappaflow plan --alarm`, and the share found within 200 items. *best* is the
    share that no method exceeds by much, even one that knows the day."""
    notes = [
        f"Planned items of the 80 %, over those measured, with {name} label shares: {min(part):.2f} to {max(part):.2f},"
        f" in the median {median(part):.2f} (design: {DESIGN_PLAN})."
        for name in ("even", "uneven")
        for part in [ratio.filter(shares=name)["ratio"].to_list()]
    ]
    above = drops.filter(pl.col("within") > pl.col("plan_best") + 0.03).height
    notes.append(f"Settings in which the chart found more than the best share, by more than .03: {above}.")
    header = (
        "raters", "labels", "correlation", "A", "median", "planned median", "80 %", "planned 80 %",
        "found within 200", "planned", "best",
    )  # fmt: skip
    return Table("What the planner says, and what happens", about, header, rows, notes)


def _raters(raters: pl.DataFrame) -> Table:
    rows = []
    order = ["random_share", "labels", "raters", "kappa", "threshold"]
    for cell in raters.sort(order, descending=[True, *[False] * 4]).to_dicts():
        design = DESIGN_RATINGS[cell["random_share"], cell["labels"]]
        rows.append(
            [_percent(cell["random_share"], 0), str(cell["raters"]), str(cell["labels"]), f"{cell['kappa']:g}",
             f"{cell['threshold']:,.0f}", design, _whole(cell["median"]), _whole(cell["items_80"]),
             _percent(90 / cell["threshold"], 2), _percent(cell["accused_before"], 2),
             _percent(cell["accused_after"], 2)]
        )  # fmt: skip
    about = f"""After 90 healthy looks one rater clicks at random on a share of the items. The rater's ratings until
    the alarm
    in half of the streams and in 80 % (empty: more than 1,000). *design* has the 80 %, for kappa .6 to .8. *accused,
    healthy*: the share of raters with an alarm in the 90 looks in which nothing happens, beside the promise (design:
    {DESIGN_ACCUSED}); *accused, others*: the share of the other raters with an alarm after that. A is 2,000, or what
    one false alarm a year allows with so many raters."""
    header = ("random", "raters", "labels", "kappa", "A", "design", "median", "80 %", "promise", "accused, healthy",
              "accused, others")  # fmt: skip
    return Table("A rater who clicks at random", about, header, rows)


def _systems(systems: pl.DataFrame, people: pl.DataFrame) -> Table:
    rows = []
    keys = ["raters", "labels", "threshold"]
    both = systems.join(people, on=keys, suffix="_people").sort("threshold", "raters", "labels")
    for cell in both.to_dicts():
        A = cell["threshold"]
        fixed = [str(cell["raters"]), str(cell["labels"]), f"{A:,}", DESIGN_SYSTEM_ITEMS.get(A, "")]
        items = [_whole(cell["median"]), _whole(cell["items_80"])]
        rows.append([*fixed, *items, DESIGN_BLAMED.get(A, ""), _percent(cell["alarms_people"])])
    about = """A system that is right in .85 becomes right in .75, after 2,000 good items; kappa of the people .6,
    correlation .02, even label shares. Items until the alarm in half of the streams and in 80 %. *blamed*: the share of
    streams in which the system's chart has an alarm within 1,000 items if the people's kappa falls by .15 and the
    system is as before."""
    header = ("raters", "labels", "A", "design, 80 %", "median", "80 %", "design, blamed", "blamed")
    return Table("A system that gets worse by .10", about, header, rows)


def _world(cell: dict[str, object]) -> str:
    return (
        f"{cell['raters']} raters, {cell['labels']} labels ({cell['shares']}), kappa {cell['kappa']:g},"
        f" correlation {cell['correlation']:g}"
    )


def _range(shares: Sequence[float] | pl.Series) -> str:
    return f"{100 * min(shares):.1f} to {100 * max(shares):.1f} %"


def _percent(share: object, decimals: int = 1) -> str:
    return "" if share is None else f"{100 * float(str(share)):.{decimals}f} %"


def _whole(items: float | None) -> str:
    return "" if items is None else f"{items:,.0f}"


def _short(number: object) -> str:
    return f"{float(str(number)):g}"

"""The page of a simulation: findings in words, a table of methods, two charts for each study, all figures."""

import base64
import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

import polars as pl
from markupsafe import Markup

from flows.simulation import simulation_charts
from flows.simulation.closeness import closeness, overall
from flows.simulation.findings import FindingParagraph, findings
from flows.simulation.simulation_tables import closeness_table, methods_table, per_study_table
from flows.simulation.study import Study, in_words
from stats.accuracy import ESTIMATORS
from tasks.glossary import METHODS
from tasks.report.formatting import counted, method_name, number
from tasks.templates import templates

_HERE = Path(__file__).parent
_STYLES = (_HERE.parents[1] / "tasks" / "report" / "style.css", _HERE / "simulate.css")
_MAX_DOTS = 100  # runs that are shown as single dots
_WORDS = {
    "Expected accuracy": "a system's share of right answers over all items there could be: what is estimated",
    "Accuracy on the run's items": "the share of the items drawn that the system got right",
    "Off by (rmse)": "root of the mean squared distance between estimate and truth, over runs",
    "Bias": "mean of estimate minus truth: above zero the estimates flatter",
    "Kappa": "the raters' agreement beyond chance 1/k for k labels, mean over runs",
}


@dataclass(frozen=True)
class _Legend:
    mark: Markup
    name: str


@dataclass(frozen=True)
class _Definition:
    name: str
    text: str


@dataclass(frozen=True)
class _ShownStudy:
    anchor: str
    name: str
    facts: str
    kappa: str
    expected: Markup
    in_sample: Markup


def render(frame: pl.DataFrame, studies: Sequence[Study], *, seed: int, confidence: float | None = None) -> str:
    """Return the page as HTML: static SVG, inline style, no script, nothing loaded. `frame` is from `run_studies`.

    The page contains no time, so the same runs make the same page.
    """
    methods = [name for name in ESTIMATORS if name in set(frame["method"])]
    rows, total = closeness(frame, studies), overall(frame, methods)
    style = "".join(path.read_text(encoding="utf-8") for path in _STYLES)
    summary: list[FindingParagraph] = findings(rows, total, studies, confidence)
    with_intervals = confidence is not None
    return (
        templates(_HERE)
        .get_template("simulate.html.j2")
        .render(
            title=_title(studies),
            kicker=f"{counted(frame['run'].n_unique(), 'run')} of {_studies_in_words(studies)}, seed {seed}",
            code_version=version("kappaflow"),
            style=Markup(style),
            style_hash=base64.b64encode(hashlib.sha256(style.encode()).digest()).decode(),
            summary=summary,
            methods=methods_table(total, with_intervals),
            legend=[_Legend(simulation_charts.legend_mark(name), method_name(name)) for name in methods],
            legend_note=_legend_note(frame, methods),
            studies=[_shown_study(study, frame, rows, methods) for study in studies],
            per_study=per_study_table(frame, studies, methods) if len(studies) > 1 else None,
            closeness=closeness_table(rows, studies, with_intervals),
            definitions=_definitions(methods),
        )
    )


def _title(studies: Sequence[Study]) -> str:
    is_own_design = all(study.figure is None for study in studies)
    return "How near the estimates come in your design" if is_own_design else "How near the estimates come"


def _studies_in_words(studies: Sequence[Study]) -> str:
    if studies[0].figure is None:
        return "your design"
    if len(studies) == 1:
        return f"{studies[0].name} of Lehner (2015)"
    return f"{counted(len(studies), 'setting')} of Lehner (2015)"


def _legend_note(frame: pl.DataFrame, methods: Sequence[str]) -> str:
    runs = frame["run"].n_unique()
    dots = f"the first {_MAX_DOTS} runs" if runs > _MAX_DOTS else "each run"
    left = "Left: mean of the runs and the range of 90 % of them (5 to 95 %), beside a short line at the truth"
    if len(methods) <= simulation_charts.MAX_METHODS_WITH_DOTS:
        return (
            f"{left}; faint dots are {dots}. Right: {dots}, at the accuracy on its own items. Dashed: estimate = truth."
        )
    shown = " and ".join(_methods_with_dots(methods))
    return f"{left}. Right: {dots} of {shown}, at the accuracy on its own items. Dashed: estimate = truth."


def _methods_with_dots(methods: Sequence[str]) -> Sequence[str]:
    """Return the methods whose single runs are drawn: all if they are few, else the first two."""
    return methods if len(methods) <= simulation_charts.MAX_METHODS_WITH_DOTS else methods[:2]


def _shown_study(study: Study, frame: pl.DataFrame, rows: pl.DataFrame, methods: Sequence[str]) -> _ShownStudy:
    study_frame = frame.filter(pl.col("figure").eq_missing(pl.lit(study.figure, pl.Int64)))
    study_rows = rows.filter(pl.col("figure").eq_missing(pl.lit(study.figure, pl.Int64)))
    levels = _levels(study_frame)
    ranked = overall(study_frame, methods).sort("rmse", nulls_last=True)
    errors = ", ".join(f"{method} {number(rmse)}" for method, rmse in ranked.select("method", "rmse").iter_rows())
    printed = "" if study.printed_kappa is None else f", the paper prints {number(study.printed_kappa)}"
    return _ShownStudy(
        anchor=f"s{study.figure or 0}",
        name=study.name,
        facts=in_words(study.setting),
        kappa=f"Kappa {number(study_rows['kappa'][0])}{printed}. Off by: {errors}.",
        expected=simulation_charts.expected_chart(
            levels, methods, label=f"{study.name}: estimate against expected accuracy"
        ),
        in_sample=simulation_charts.in_sample_chart(
            levels,
            _methods_with_dots(methods),
            label=f"{study.name}: estimate against the accuracy on each run's items",
        ),
    )


def _levels(frame: pl.DataFrame) -> list[simulation_charts.Level]:
    summaries = frame.group_by("system_accuracy", "method").agg(
        pl.col("expected_accuracy").sort().mean(),
        mean=pl.col("estimate").sort().mean(),
        low=pl.col("estimate").quantile(0.05, "linear"),
        high=pl.col("estimate").quantile(0.95, "linear"),
    )
    shown = frame.filter(pl.col("run") < _MAX_DOTS, pl.col("estimate").is_not_null())
    dots: dict[tuple[float, str], list[tuple[float, float]]] = {}
    for level, method, x, y in shown.select("system_accuracy", "method", "in_sample_accuracy", "estimate").iter_rows():
        dots.setdefault((level, method), []).append((x, y))
    return [
        simulation_charts.Level(
            row["method"],
            row["expected_accuracy"],
            row["mean"],
            row["low"],
            row["high"],
            dots.get((row["system_accuracy"], row["method"]), []),
        )
        for row in summaries.sort("system_accuracy", "method").iter_rows(named=True)
    ]


def _definitions(methods: Sequence[str]) -> list[_Definition]:
    method_definitions = [_Definition(name, METHODS[name][1]) for name in methods if name in METHODS]
    return [*(_Definition(name, text) for name, text in _WORDS.items()), *method_definitions]

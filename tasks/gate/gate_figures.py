"""Hold the figures that a gate judges, wherever they come from."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from stats.agreement.coefficients.information_agreement import too_high_note
from stats.verdict_interval import verdict_interval
from tasks.evaluate.regions.few_items import rests_on_few
from tasks.summary.label_weights import is_plain

ALPHA = "krippendorff_alpha"
Row = Mapping[str, Any]


@dataclass(frozen=True)
class GateFigure:
    """A figure and its interval, null where undefined. If `reason` is set, the figure cannot be judged.

    `n_items` is the number of items it rests on, `n_gold` that of gold items, `gold_origin` how these
    were chosen ('drawn' or 'unknown'). `method` is the estimator of an accuracy.
    `detail` explains the reason in a sentence. `warnings` are sentences to keep in mind about the figure. `outer` says
    that the interval of an accuracy is the outer one (`stats.accuracy.fitting.outer_interval`). `on_few` says that the
    interval is too narrow because of few items, so that nothing can be judged by it.
    """

    estimate: float | None
    low: float | None = None
    high: float | None = None
    n_items: int | None = None
    confidence: float | None = None
    method: str | None = None
    n_gold: int | None = None
    gold_origin: str | None = None
    reason: str | None = None
    detail: str | None = None
    warnings: tuple[str, ...] = ()
    outer: bool = False
    on_few: bool = False


@dataclass(frozen=True)
class RowCounts:
    """The rows that came in, and those of them that were rejected. `n_unreadable` files have no rows to count."""

    n_rows: int
    n_rejected: int
    n_unreadable: int = 0


@dataclass(frozen=True)
class OpenAlert:
    """An alert that is open. `subject` is the rater, system or label that it is about, if any."""

    question: str | None
    kind: str
    severity: str | None
    subject: str | None = None


@dataclass(frozen=True)
class GateFigures:
    """The figures of a project or of a file.

    `place` is the folder or the file. `systems` are those of each question. `agreement` is by question and coefficient,
    `accuracy` by question and system. `alerts` are the open ones, None for a file. `without_labels` are questions with
    figures of other answers: votes on pairs, regions, rankings, texts.
    """

    place: str
    questions: tuple[str, ...]
    rows: RowCounts
    systems: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    agreement: Mapping[tuple[str, str], GateFigure] = field(default_factory=dict)
    accuracy: Mapping[tuple[str, str], GateFigure] = field(default_factory=dict)
    alerts: tuple[OpenAlert, ...] | None = None
    warnings: tuple[str, ...] = ()
    without_labels: frozenset[str] = frozenset()


def agreement_figure(row: Row) -> GateFigure:
    """Return the figure of a row of `latest_agreement`, or of `stats.agreement.agreement`."""
    names = ("estimate", "n_items", "confidence", "reason", "detail")
    notes: tuple[str, ...] = (row["detail"],) if row["detail"] and row["reason"] is None else ()
    weights = row.get("weights")
    notes += () if is_plain(weights) else (f"The figure has {weights} weights: near misses count in part.",)
    low, high = (None, None) if too_high_note(row["detail"]) else verdict_interval(row)
    coefficient = row.get("coefficient") or row.get("name")
    on_few = low is not None and coefficient is not None and rests_on_few(coefficient, row["n_items"])
    return GateFigure(low=low, high=high, **{name: row[name] for name in names}, warnings=notes, on_few=on_few)


def accuracy_figure(row: Row) -> GateFigure:
    """Return the figure of a row of `latest_system_accuracy`."""
    low, high = judged_interval(row)
    names = ("n_items", "confidence", "method", "n_gold", "reason", "detail")
    return GateFigure(
        estimate=row["accuracy"],
        low=low,
        high=high,
        warnings=tuple(row["warnings"] or ()),
        outer=has_outer(row) and not row["n_gold"],
        gold_origin=row.get("gold_origin"),
        **{name: row[name] for name in names},
    )


def judged_interval(row: Row) -> tuple[float | None, float | None]:
    """Choose the interval of an accuracy that the gate judges by: the outer one, where there is one.

    A row without a figure may lack both.
    """
    outer = has_outer(row)
    return row.get("outer_low" if outer else "low"), row.get("outer_high" if outer else "high")


def has_outer(row: Row) -> bool:
    """Check whether an accuracy has an outer interval: `average` has one, in runs of this version and later ones."""
    return row.get("outer_low") is not None and row.get("outer_high") is not None

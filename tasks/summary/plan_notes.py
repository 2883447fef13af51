"""The notes on what a question still needs. They follow from the numbers beside them and cannot contradict them."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from stats.accuracy.planning import raters_for_budget
from stats.accuracy.planning.budget import RATERS
from stats.accuracy.planning.items_needed import MAX_RATERS
from stats.errors import StatsError

SystemRow = Mapping[str, Any]
MANY_RATINGS = 10**6  # so many that the rounding to whole items does not decide which number of raters is best
PLANNED_CONFIDENCE = 0.9  # the best number of raters does not depend on it
LOW_KAPPA = 0.2
STABLE = (
    "The figures assume that further items are like the items so far and get as many raters. The half-width then falls"
    " with the root of the number of items"
)
SECOND_RATER = "Each item has one rating. Have a second annotator rate some of the same items, and plan again."
GOLD_SHOWN = "The gold items shown do."
MORE_GOLD = "Gold does, but it takes more gold items than there are items so far."


@dataclass(frozen=True)
class PlanBasis:
    """What a plan rests on: the wanted half-width, ratings per item, kappa, labels, rated items; None is unknown.

    The kappa of a question whose figures of agreement have weights is unknown: with weights, labels that are near each
    other agree in part, and say nothing of how often a label is right.
    """

    half_width: float
    per_item: float | None
    kappa: float | None
    n_labels: int | None
    n_rated: int | None
    is_weighted: bool = False


def outer_is_wide(row: SystemRow, half_width: float) -> bool:
    """Tell whether the outer interval of a system without gold is wider than wanted."""
    return (row.get("outer_half_width_now") or 0) > half_width


def is_incomplete(row: SystemRow, half_width: float) -> bool:
    """Tell whether an interval of a system is wider than wanted."""
    return row["enough"] is False or outer_is_wide(row, half_width)


def models_lie_apart(row: SystemRow, half_width: float) -> bool:
    """Tell whether the models of a system without gold lie so far apart that ratings may not be enough."""
    return not row.get("n_gold") and (row.get("half_spread") or 0) > half_width


def plan_notes(
    rows: Sequence[SystemRow], basis: PlanBasis, coefficients: Sequence[Mapping[str, Any]] = ()
) -> list[str]:
    """Return what to know about the numbers of these systems, and of the coefficients of agreement."""
    with_gold = any(row["n_gold"] for row in rows)
    is_planned = any(row["enough"] is not None for row in (*rows, *coefficients))
    notes = [STABLE + (", with gold more slowly." if with_gold else ".")] if is_planned else []
    if basis.per_item == 1 and not rows:
        notes.append(SECOND_RATER)
    if basis.half_width >= 0.5:
        notes.append(
            f"A half-width of {basis.half_width:g} says nothing about a share, which always lies between 0 and 1."
            " Ask for .1 or .05."
        )
    return [
        *notes,
        *_on_models(rows, basis),
        *_on_answers(rows, basis),
        *_on_outer(rows, basis),
        *_on_weights(rows, basis),
        *_on_kappa(rows, basis),
    ]


def _on_models(rows: Sequence[SystemRow], basis: PlanBasis) -> Iterator[str]:
    apart = [row for row in rows if models_lie_apart(row, basis.half_width)]
    for group, gold in _by_gold([row for row in apart if is_incomplete(row, basis.half_width)]):
        yield (
            f"{_names(group)}: the models compared lie further apart than this half-width. More ratings do not change"
            f" that. {gold}"
        )
    reached = [row for row in apart if row["enough"] and not outer_is_wide(row, basis.half_width)]
    if reached:
        yield (
            f"{_names(reached)}: the interval is narrow enough, but the models compared lie further apart. Only gold"
            " items show which model is right."
        )


def _on_outer(rows: Sequence[SystemRow], basis: PlanBasis) -> Iterator[str]:
    stuck = [
        row
        for row in rows
        if outer_is_wide(row, basis.half_width) and (row["outer_half_width_least"] or 0) > basis.half_width
    ]
    for group, gold in _by_gold(stuck):
        inner = " The ratings still needed are for the inner one." if any(not row["enough"] for row in group) else ""
        yield (
            f"{_names(group)}: with errors as on real data no number of ratings brings the outer interval to"
            f" ±{basis.half_width:g}. {gold}{inner}"
        )


def _on_weights(rows: Sequence[SystemRow], basis: PlanBasis) -> Iterator[str]:
    """Yield why the gold items of a question with weights are not counted with its ratings."""
    if basis.is_weighted and any(not row["n_gold"] and row["more_gold"] for row in rows):
        yield (
            "The gold items shown are enough without any ratings. Agreement with weights does not say how often labels"
            " are the same, so the plan cannot count on the ratings."
        )


def _by_gold(rows: Sequence[SystemRow]) -> Iterator[tuple[list[SystemRow], str]]:
    """Yield systems and what gold does for them: those with a number of gold items, then the others."""
    for has_number, words in ((True, GOLD_SHOWN), (False, MORE_GOLD)):
        group = [row for row in rows if (row["more_gold"] is not None) is has_number]
        if group:
            yield group, words


def _names(rows: Sequence[SystemRow]) -> str:
    return ", ".join(row["system"] for row in rows)


def _on_answers(rows: Sequence[SystemRow], basis: PlanBasis) -> Iterator[str]:
    """Yield what follows for systems that answered some of the items only, and for systems with gold."""
    for row in rows:
        if row["enough"] is False and basis.n_rated and row["n_items"] < basis.n_rated:
            yield (
                f"{row['system']}: The system answered {row['n_items']:,} of {basis.n_rated:,} rated items. The plan"
                " assumes that it will answer the same share of further items."
            )
    for row in rows:
        without_gold = row["n_items"] - row["n_gold"]
        if row["n_gold"] and _answered(row, basis) > without_gold:
            yield (
                f"{row['system']}: only {without_gold:,} of its items have no gold, so the other gold items must be new"
                " items. If people rate new items, too, fewer gold items are enough."
            )


def _answered(row: SystemRow, basis: PlanBasis) -> int:
    """Return how many of the gold items still needed the system answers, at its share so far."""
    share = row["n_items"] / basis.n_rated if basis.n_rated else 1.0
    return int((row["more_gold"] or 0) * min(share, 1.0) + 1e-9)


def _on_kappa(rows: Sequence[SystemRow], basis: PlanBasis) -> Iterator[str]:
    """Yield a note where ratings are needed of raters who agree little."""
    needed = any(row["enough"] is False and not row["n_gold"] for row in rows)
    if not needed or basis.kappa is None or basis.kappa >= LOW_KAPPA:
        return
    if basis.kappa <= 0:
        yield (
            f"The raters agree no more than by chance (kappa {basis.kappa:.2f}). Look first at the items on which they"
            " disagree: ratings that agree better are worth more."
        )
    elif _more_raters_pay(basis.kappa, basis):
        yield f"The raters agree little (kappa {basis.kappa:.2f}): more raters for each item do more than more items."


def _more_raters_pay(kappa: float, basis: PlanBasis) -> bool:
    """Tell whether the same number of ratings says more with more raters for each item."""
    if basis.per_item is None or basis.n_labels is None:
        return False
    now = max(round(basis.per_item), 2)
    raters = sorted({*RATERS, min(now, MAX_RATERS)})
    try:
        plan = raters_for_budget(
            n_labels=basis.n_labels, budget=MANY_RATINGS, kappa=kappa, confidence=PLANNED_CONFIDENCE, n_raters=raters
        )
    except StatsError:
        return False
    return plan.best.n_raters > now

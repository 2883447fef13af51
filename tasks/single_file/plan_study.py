"""Plan a new study: items and gold items for a half-width, raters per item for a budget."""

from dataclasses import asdict
from typing import Any, TypedDict

from stats.accuracy.planning import cheapest, gold_items, plan, raters_for_budget
from stats.accuracy.planning.budget import RATERS


class StudyDesign(TypedDict):
    """What is expected of a study: labels, kappa of the raters, confidence of the interval, accuracy of the system."""

    n_labels: int
    kappa: float
    confidence: float
    system_accuracy: float


def plan_items(study: StudyDesign, *, n_raters: int, half_width: float) -> dict[str, Any]:
    """The value of `plan --json`: what `stats.accuracy.plan` gives, and under `gold` what gold items would do.

    The gold items are drawn from the items of the plan, so that both ways stand side by side. Raises StatsError for
    what is out of range.
    """
    found = plan(n_raters=n_raters, half_width=half_width, **study)
    gold = gold_items(n_raters=n_raters, half_width=half_width, n_items=max(found.n_items, 2), **study)
    shown = ("n_gold", "n_gold_alone", "correlation", "n_items")
    return asdict(found) | {"gold": {name: getattr(gold, name) for name in shown}}


def plan_budget(
    study: StudyDesign, *, budget: int, n_raters: int | None = None, half_width: float | None = None
) -> dict[str, Any]:
    """The value of `plan --budget --json`: `stats.accuracy.planning.raters_for_budget`, with the fewest ratings that
    reach a half-width, if one is asked for."""
    raters = RATERS if n_raters is None else sorted({*RATERS, n_raters})
    found = raters_for_budget(budget=budget, n_raters=raters, **study)
    enough = None
    if half_width is not None:
        enough = asdict(cheapest(half_width=half_width, **study))
        del enough["best"]
    return asdict(found) | {"n_raters": n_raters, "for_half_width": enough}

"""Plan a new study: items and gold items for a half-width, raters per item for a budget."""

from dataclasses import asdict
from typing import Any, TypedDict

from stats.accuracy.planning import cheapest, gold_items, plan, raters_for_budget
from stats.accuracy.planning.budget import RATERS


class StudyDesign(TypedDict):
    """The expected study: number of labels, kappa of the raters, accuracy of the system; confidence of the interval."""

    n_labels: int
    kappa: float
    confidence: float
    system_accuracy: float


def plan_items(study: StudyDesign, *, n_raters: int, half_width: float) -> dict[str, Any]:
    """Plan the number of items, in the shape of `plan --json`. `gold` says how many gold items would do instead.

    The gold items are drawn from the items of the plan, so that both ways can be compared. Raises StatsError if a value
    is out of range.
    """
    found = plan(n_raters=n_raters, half_width=half_width, **study)
    gold = gold_items(n_raters=n_raters, half_width=half_width, n_items=max(found.n_items, 2), **study)
    shown = ("n_gold", "n_gold_alone", "correlation", "n_items")
    return asdict(found) | {"gold": {name: getattr(gold, name) for name in shown}}


def plan_budget(
    study: StudyDesign, *, budget: int, n_raters: int | None = None, half_width: float | None = None
) -> dict[str, Any]:
    """Plan how to spend a number of ratings, in the shape of `plan --budget --json`.

    With `half_width`, also say with how few ratings an interval of that half-width can be had.
    """
    raters = RATERS if n_raters is None else sorted({*RATERS, n_raters})
    found = raters_for_budget(budget=budget, n_raters=raters, **study)
    enough = None
    if half_width is not None:
        enough = asdict(cheapest(half_width=half_width, **study))
        del enough["best"]
    return asdict(found) | {"n_raters": n_raters, "for_half_width": enough}

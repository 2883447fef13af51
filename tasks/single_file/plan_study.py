"""Plan a new study: items and gold items for a half-width, raters per item for a budget."""

from dataclasses import asdict
from typing import Any, TypedDict

from stats.accuracy.planning import cheapest, gold_items, outer_half_width, plan, raters_for_budget
from stats.accuracy.planning.budget import RATERS
from stats.accuracy.planning.items_needed import z_value


class StudyDesign(TypedDict):
    """The expected study: number of labels, kappa of the raters, accuracy of the system; confidence of the interval."""

    n_labels: int
    kappa: float
    confidence: float
    system_accuracy: float


def plan_items(study: StudyDesign, *, n_raters: int, half_width: float) -> dict[str, Any]:
    """Plan the number of items, in the shape of `plan --json`. `gold` says how many gold items would do instead.

    `outer_half_width` is that of the outer interval then, `outer_half_width_least` with ratings without end. The gold
    items are drawn from the items of the plan, so that both ways can be compared. Raises StatsError if a value is out
    of range.
    """
    size = plan(n_raters=n_raters, half_width=half_width, **study)
    gold = gold_items(n_raters=n_raters, half_width=half_width, n_items=max(size.n_items, 2), **study)
    shown = ("n_gold", "n_gold_alone", "correlation", "n_items")
    outer = {
        "outer_half_width": _outer(study, size.sd / size.n_items**0.5),
        "outer_half_width_least": _outer(study, 0.0),
    }
    return asdict(size) | {"gold": {name: getattr(gold, name) for name in shown}} | outer


def plan_budget(
    study: StudyDesign, *, budget: int, n_raters: int | None = None, half_width: float | None = None
) -> dict[str, Any]:
    """Plan how to spend a number of ratings, in the shape of `plan --budget --json`.

    With `half_width`, also say with how few ratings an interval of that half-width can be had.
    """
    raters = RATERS if n_raters is None else sorted({*RATERS, n_raters})
    best = raters_for_budget(budget=budget, n_raters=raters, **study)
    enough = None
    if half_width is not None:
        enough = asdict(cheapest(half_width=half_width, n_raters=raters, **study))
        del enough["best"]
    shares = []
    for share in best.shares:
        se = share.half_width / z_value(study["confidence"])
        shares.append(asdict(share) | {"outer_half_width": _outer(study, se)})
    least = {"outer_half_width_least": _outer(study, 0.0)}
    return asdict(best) | {"shares": shares, "n_raters": n_raters, "for_half_width": enough} | least


def _outer(study: StudyDesign, se: float) -> float:
    outer = outer_half_width(study["system_accuracy"], se, study["confidence"])
    # With very few ratings the inner half-width, which has no bound, is the larger one.
    return max(outer, z_value(study["confidence"]) * se)

"""Plan how many more ratings a question needs, from its latest published results."""

from contextlib import suppress
from math import ceil
from pathlib import Path
from typing import Any

import polars as pl

from stats.accuracy.planning import gold_items, gold_items_alone, more_gold_items, more_items, outer_half_width
from stats.accuracy.planning.items_needed import FEW_ITEMS, MARGIN
from stats.defaults import OUTER_ERROR
from stats.errors import StatsError
from tasks.errors import InputError
from tasks.summary.interval_width import longer_side, says_nothing
from tasks.summary.label_weights import is_plain
from tasks.summary.other_answers import nothing_evaluated, refuse_published_answers
from tasks.summary.plan_notes import PlanBasis, plan_notes
from tasks.summary.published_views import evaluated_questions, overall, read_views

COEFFICIENTS = ("krippendorff_alpha", "fleiss_kappa", "gwet_ac1")
KAPPA = "brennan_prediger"  # agreement corrected for chance 1/N, which the planner uses if it has no weights
COUNTED = "percent_agreement"  # its row counts all ratings of the items that have two or more
FIRST = "average"  # if a system has estimates by several methods, its plan uses this one
HALF_WIDTH = 0.05
NO_INTERVAL = {"reason": "too_few_items", "detail": "There is no interval yet that could be narrowed."}
TOO_WIDE = {
    "reason": "too_few_items",
    "detail": f"So wide an interval does not tell how many items are needed. Rate {FEW_ITEMS} more, and plan again.",
}
NO_WIDTH = {
    "reason": "not_identified",
    "detail": "Agreement is the same on all items so far: the interval has width 0 and says nothing about others.",
}


def plan_question(
    snapshot: Path, question: str, *, half_width: float = HALF_WIDTH, outer_error: float = OUTER_ERROR
) -> dict[str, Any]:
    """Compute how many more items and ratings are needed to reach a half-width.

    There is a row for the accuracy of each system and one for each agreement coefficient. The result is the JSON value
    of `plan --question --json`. Raises InputError for a question without results, and StatsError for a half-width
    outside (0, 1).
    """
    views = read_views(snapshot, "latest_agreement", "latest_system_accuracy")
    agreement = overall(views["latest_agreement"]).filter(pl.col("question") == question)
    systems = views["latest_system_accuracy"].filter(pl.col("question") == question, pl.col("scope") == "all")
    if agreement.is_empty() and systems.is_empty():
        refuse_published_answers(snapshot, question, "`plan`")
        if not evaluated_questions(snapshot):
            raise nothing_evaluated(snapshot, "`plan`")
        raise InputError(f"There are no results for the question {question!r}.", _available_questions(views))
    by_coefficient = {row["coefficient"]: row for row in agreement.to_dicts()}
    counted = by_coefficient.get(COUNTED, {})
    per_item = counted["n_ratings"] / counted["n_items"] if counted.get("n_items") else None
    labelled = by_coefficient.get(KAPPA, {})
    is_weighted = not is_plain(labelled.get("weights"))
    kappa = None if is_weighted else labelled.get("estimate")
    n_labels = counted.get("n_labels")
    basis = PlanBasis(half_width, per_item, kappa, n_labels, counted.get("n_items"), is_weighted=is_weighted)
    study = _Study(basis, outer_error)
    rows = [study.system(row) for row in _one_method(systems).to_dicts()]
    coefficients = [study.coefficient(by_coefficient[name]) for name in COEFFICIENTS if name in by_coefficient]
    return {
        "question": question,
        "half_width": half_width,
        "kappa": kappa,
        "n_labels": n_labels,
        "ratings_per_item": per_item,
        "n_items": counted.get("n_items"),
        "n_ratings": counted.get("n_ratings"),
        "systems": rows,
        "coefficients": coefficients,
        "warnings": plan_notes(rows, study.basis, coefficients),
    }


class _Study:
    """The inputs that all rows share: what the plan rests on, and the error of the outer interval."""

    def __init__(self, basis: PlanBasis, outer_error: float) -> None:
        self.basis = basis
        self.outer_error = outer_error

    def system(self, row: dict[str, Any]) -> dict[str, Any]:
        """Plan for the accuracy of one system. A system with gold needs more gold items instead of ratings."""
        figures = {name: row[name] for name in ("system", "method", "accuracy", "low", "high", "confidence")}
        audited = bool(row["n_gold"])
        more = self._more(_half_width(row), row["n_gold"] if audited else row["n_items"])
        n_more = None if audited else self._rated(more["n_more"], row)
        spread = None if row["spread_low"] is None else (row["spread_high"] - row["spread_low"]) / 2
        return {
            **figures,
            "half_width_now": _half_width(row),
            **self._outer(row),
            "n_items": row["n_items"],
            "n_gold": row["n_gold"],
            "enough": more["enough"],
            "more_items": n_more,
            "more_ratings": self._ratings(n_more),
            "more_gold": self._rated(self._more_gold(row, more) if audited else self._gold(row), row),
            "half_spread": spread,
            "reason": row["reason"] or more["reason"],
            "detail": row["detail"] if row["reason"] else more["detail"],
        }

    def coefficient(self, row: dict[str, Any]) -> dict[str, Any]:
        """Plan for one coefficient."""
        figures = {name: row[name] for name in ("coefficient", "estimate", "low", "high", "confidence")}
        now = longer_side(row)
        unknown: dict[str, Any] = {"n_more": None, "enough": None} | TOO_WIDE
        more = unknown if says_nothing(row) else self._more(now, row["n_items"])
        return {
            **figures,
            "half_width_now": now,
            "n_items": row["n_items"],
            "enough": more["enough"],
            "more_items": more["n_more"],
            "more_ratings": self._ratings(more["n_more"]),
            "reason": row["reason"] or more["reason"],
            "detail": row["detail"] if row["reason"] else more["detail"],
        }

    def _more(self, now: float | None, n: int | None) -> dict[str, Any]:
        if now is None or not n:
            return {"n_more": None, "enough": None} | NO_INTERVAL
        if now == 0:
            return {"n_more": None, "enough": None} | NO_WIDTH
        plan = more_items(half_width_now=now, n_now=n, half_width=self.basis.half_width)
        return {"n_more": plan.n_more, "enough": plan.enough, "reason": None, "detail": None}

    def _more_gold(self, row: dict[str, Any], more: dict[str, Any]) -> int | None:
        """Return the gold items that a system with gold still needs; None where its interval cannot be narrowed."""
        now = _half_width(row)
        n_more: int | None = more["n_more"]
        if now is None or not n_more:
            return n_more
        return more_gold_items(
            half_width_now=now,
            n_gold=max(row["n_gold"], 2),
            n_items=row["n_items"],
            system_accuracy=row["accuracy"],
            half_width=self.basis.half_width,
            confidence=row["confidence"],
        )

    def _rated(self, n_answered: int | None, row: dict[str, Any]) -> int | None:
        """Return the items to rate or draw so that the system answers n_answered of them, at its share so far."""
        if n_answered is None or not self.basis.n_rated or not row["n_items"]:
            return n_answered
        n_items: int = row["n_items"]
        return ceil(n_answered * max(self.basis.n_rated / n_items, 1.0) - 1e-9)

    def _outer(self, row: dict[str, Any]) -> dict[str, float | None]:
        """Return the outer half-width now, and what is left of it with ratings without end; None with gold."""
        if row["n_gold"] or row["outer_low"] is None or not MARGIN <= row["accuracy"] <= 1 - MARGIN:
            return {"outer_half_width_now": None, "outer_half_width_least": None}
        least = outer_half_width(row["accuracy"], 0.0, row["confidence"], outer_error=self.outer_error)
        return {
            "outer_half_width_now": (row["outer_high"] - row["outer_low"]) / 2,
            "outer_half_width_least": least,
        }

    def _ratings(self, n_items: int | None) -> int | None:
        return None if n_items is None or self.basis.per_item is None else round(n_items * self.basis.per_item)

    def _gold(self, row: dict[str, Any]) -> int | None:
        """Return the gold items that would be enough instead; None if the right answers of all items are not.

        The ratings help by the one-coin model. Where it does not apply, the gold items are enough alone.
        """
        if row["accuracy"] is None:
            return None
        aim = {
            "half_width": self.basis.half_width,
            "confidence": row["confidence"],
            "system_accuracy": row["accuracy"],
        }
        kappa, per_item, n_labels = self.basis.kappa, self.basis.per_item, self.basis.n_labels
        if kappa is not None and per_item is not None and n_labels is not None:
            with suppress(StatsError):
                return gold_items(
                    n_labels=n_labels, n_raters=max(round(per_item), 2), kappa=kappa, n_items=row["n_items"], **aim
                ).n_gold
        n_gold = gold_items_alone(**aim)
        return n_gold if n_gold <= row["n_items"] else None


def _half_width(row: dict[str, Any]) -> float | None:
    """Return half the width of an interval of accuracy, whose sides differ as on a scale of logits."""
    return None if row["low"] is None or row["high"] is None else float(row["high"] - row["low"]) / 2


def _one_method(systems: pl.DataFrame) -> pl.DataFrame:
    """Keep one row per system and version: that of the default method, or else the first method by name."""
    return (
        systems.sort(pl.col("method") != FIRST, "method")
        .unique(["system", "system_version"], keep="first", maintain_order=True)
        .sort("system", "system_version")
    )


def _available_questions(views: dict[str, pl.DataFrame]) -> str:
    names = sorted({name for view in views.values() for name in view["question"].unique()})
    return f"There are results for {', '.join(names[:20])}{', ...' if len(names) > 20 else ''}."

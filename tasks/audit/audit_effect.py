"""Tell what an audit changed: each system's accuracy before and after, and what more gold items would bring."""

from dataclasses import asdict, dataclass
from typing import Any

import polars as pl

from stats.accuracy import PreparedRatings, accuracy, prepared
from stats.accuracy.gold.gold_gain import gold_gain
from tasks.evaluate.gold_inclusion import Inclusion, weighted_gold
from tasks.evaluate.labels import declared_or_inferred
from tasks.evaluate.question_config import QuestionConfig
from tasks.evaluate.systems import gold_of, usable_gold
from warehouse.audits import GoldOrigin

MORE = 20  # gold items of the next audit
FIGURES = ("accuracy", "low", "high", "outer_low", "outer_high", "n_gold", "reason")


@dataclass(frozen=True)
class SystemEffect:
    """One system before and after the answers. A figure has accuracy, low, high, outer_low, outer_high, n_gold, reason.

    The outer half-widths are equal to the others with gold, which needs no model.
    half_width_next: with MORE further gold items; None with fewer than two gold items.
    """

    system: str
    before: dict[str, Any]
    after: dict[str, Any]
    half_width_before: float | None
    half_width_after: float | None
    half_width_next: float | None
    outer_half_width_before: float | None
    outer_half_width_after: float | None

    def to_json(self) -> dict[str, Any]:
        """Return the effect as a plain dict."""
        return asdict(self)


@dataclass(frozen=True)
class QuestionAccuracy:
    """The accuracy of each system by `average`, from the ratings and gold at one moment."""

    rows: dict[str, dict[str, Any]]
    once: PreparedRatings | None
    gold: pl.DataFrame | None


def question_accuracy(
    question: str, patterns: pl.DataFrame, config: QuestionConfig, inclusion: Inclusion | None, *, confidence: float,
    seed: int,
) -> QuestionAccuracy:  # fmt: skip
    """Estimate the accuracy of the question's systems. Empty without systems, or with fewer than two human raters.

    `patterns` is the frame of `tasks.evaluate.patterns.QuestionPatterns`.
    """
    labels = declared_or_inferred(patterns["label"], config.labels, config.scale, question)
    known, _ = labels.known(patterns)
    kinds = known.select("rater", "rater_kind").unique()
    systems = kinds.filter(pl.col("rater_kind") == "system")["rater"].sort().to_list()
    n_humans = kinds.filter(pl.col("rater_kind") == "human").height
    if not systems or n_humans < 2 or len(labels.names) < 2:
        return QuestionAccuracy({}, None, None)
    gold, _ = usable_gold(gold_of(known), known, systems)
    gold = weighted_gold(gold, inclusion)
    rated = known.filter(pl.col("rater_kind") != "gold").select("item", "rater", "label", "n_items")
    subset: dict[str, Any] = {"systems": systems, "labels": labels.names, "scale": config.scale}
    once = prepared(rated, **subset)
    options: dict[str, Any] = {"confidence": confidence, "seed": seed, "outer_error": config.outer_error}
    found = accuracy(once, **subset, methods=["average"], gold=gold, **options)
    return QuestionAccuracy({row["system"]: row for row in found.to_dicts()}, once, gold)


def effects(before: QuestionAccuracy, after: QuestionAccuracy, *, confidence: float) -> list[SystemEffect]:
    """Return the effect on each system."""
    found = []
    for system, row in after.rows.items():
        former = before.rows.get(system, dict.fromkeys(FIGURES))
        further = None
        if after.once is not None and after.gold is not None:
            further = gold_gain(after.once, system, after.gold, more=MORE, confidence=confidence).with_more
        found.append(
            SystemEffect(
                system,
                {name: former[name] for name in FIGURES},
                {name: row[name] for name in FIGURES},
                _half_width(former),
                _half_width(row),
                further,
                _half_width(former, "outer_"),
                _half_width(row, "outer_"),
            )
        )
    return found


def origin_sentence(origin: GoldOrigin, *, weighted: bool) -> str | None:
    """Say that gold of unknown origin is no random sample; None where all gold was drawn.

    weighted: the probabilities of the drawn items differ. Other gold has none, and is left out.
    """
    unknown = origin.n_gold - origin.n_drawn
    if unknown <= 0:
        return None
    if weighted:
        return (
            f"Of the {origin.n_gold:,} gold items {unknown:,} were not drawn by `kappaflow audit`. Nobody knows with"
            " which probability they were chosen, so the figures leave them out."
        )
    return (
        f"Of the {origin.n_gold:,} gold items {unknown:,} were not drawn by `kappaflow audit`. Nobody knows how they"
        " were chosen, so nothing says that the gold is a random sample. The figures use it all, and hold if it is one."
        " If these items were picked, the figures are off in the direction of the picking."
    )


def _half_width(row: dict[str, Any], kind: str = "") -> float | None:
    low, high = row[f"{kind}low"], row[f"{kind}high"]
    return None if low is None or high is None else float(high - low) / 2

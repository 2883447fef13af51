"""Tell what an audit changed: each system's accuracy before and after, and what more gold items would bring."""

from dataclasses import asdict, dataclass
from typing import Any

import polars as pl

from schemas.rating_columns import IS_GOLD, IS_HUMAN, IS_SYSTEM
from stats.accuracy import PreparedRatings, accuracy, prepared
from stats.accuracy.gold.gold_gain import gold_gain
from tasks.evaluate.gold.gold_inclusion import (
    LEAST_DRAWN,
    Inclusion,
    is_unequal,
    on_other_gold,
    on_unlabelled_strata,
    weighted_gold,
)
from tasks.evaluate.gold.usable_gold import gold_of, usable_gold
from tasks.evaluate.labels import labels_of_question
from tasks.evaluate.question_config import QuestionConfig
from tasks.evaluate.undefined_accuracy import too_many_labels
from warehouse.audits import GoldOrigin

MORE = 20  # gold items of the next audit
FIGURES = ("accuracy", "low", "high", "outer_low", "outer_high", "n_gold", "reason")

WEIGHTED = (
    "The gold items were drawn with known probabilities that differ. Each counts for as many items as it stands for."
)
RANDOM = "All gold items were drawn at random, so the audited intervals need no model of how raters err."


@dataclass(frozen=True)
class SystemEffect:
    """One system before and after the answers. A figure has accuracy, low, high, outer_low, outer_high, n_gold, reason.

    The outer half-widths are equal to the others with gold, which needs no model.
    half_width_next: with n_gold_next further gold items, MORE or as many as are left; None with fewer than two gold
    items, and where none is left.
    """

    system: str
    before: dict[str, Any]
    after: dict[str, Any]
    half_width_before: float | None
    half_width_after: float | None
    half_width_next: float | None
    n_gold_next: int | None
    outer_half_width_before: float | None
    outer_half_width_after: float | None

    def to_json(self) -> dict[str, Any]:
        """Return the effect as a plain dict."""
        return asdict(self)


@dataclass(frozen=True)
class QuestionAccuracy:
    """The accuracy of each system by `average`, from the ratings and gold at one moment."""

    rows: dict[str, dict[str, Any]]
    prepared_ratings: PreparedRatings | None
    gold: pl.DataFrame | None


def question_accuracy(
    question: str, patterns: pl.DataFrame, config: QuestionConfig, inclusion: Inclusion | None, *, confidence: float,
    seed: int,
) -> QuestionAccuracy:  # fmt: skip
    """Estimate the accuracy of the question's systems. Empty without systems, with fewer than two human raters and no
    gold, or with too many labels for an accuracy.

    `patterns` is the frame of `tasks.evaluate.patterns.QuestionPatterns`.
    """
    labels = labels_of_question(patterns, config.labels, config.scale, question)
    label_patterns, _ = labels.keep_known(patterns)
    kinds = label_patterns.select("rater", "rater_kind").unique()
    systems = kinds.filter(IS_SYSTEM)["rater"].sort().to_list()
    n_humans = kinds.filter(IS_HUMAN).height
    gold, _ = usable_gold(gold_of(label_patterns), label_patterns, systems)
    gold = weighted_gold(gold, inclusion)
    if not systems or (n_humans < 2 and gold is None) or len(labels.names) < 2:
        return QuestionAccuracy({}, None, None)
    rated = label_patterns.filter(~IS_GOLD).select("item", "rater", "label", "n_items")
    if too_many_labels(rated, labels, config.scale, audited=gold is not None) is not None:
        return QuestionAccuracy({}, None, None)
    subset: dict[str, Any] = {"systems": systems, "labels": labels.names, "scale": config.scale}
    prepared_ratings = prepared(rated, **subset, audited=gold is not None)
    options: dict[str, Any] = {"confidence": confidence, "seed": seed, "outer_error": config.outer_error}
    figures = accuracy(prepared_ratings, **subset, methods=["average"], gold=gold, **options)
    return QuestionAccuracy({row["system"]: row for row in figures.to_dicts()}, prepared_ratings, gold)


def effects(before: QuestionAccuracy, after: QuestionAccuracy, *, confidence: float) -> list[SystemEffect]:
    """Return the effect on each system."""
    effects_of_gold = []
    for system, row in after.rows.items():
        former = before.rows.get(system, dict.fromkeys(FIGURES))
        gain = None
        if after.prepared_ratings is not None and after.gold is not None:
            gain = gold_gain(after.prepared_ratings, system, after.gold, more=MORE, confidence=confidence)
        effects_of_gold.append(
            SystemEffect(
                system,
                {name: former[name] for name in FIGURES},
                {name: row[name] for name in FIGURES},
                _half_width(former),
                _half_width(row),
                None if gain is None else gain.with_more,
                None if gain is None else gain.n_more,
                _half_width(former, "outer_"),
                _half_width(row, "outer_"),
            )
        )
    return effects_of_gold


def origin_notes(origin: GoldOrigin, inclusion: Inclusion | None) -> list[str]:
    """Say how the gold was chosen. inclusion: the probabilities of the gold items, if the figures rest on them."""
    if inclusion is not None:
        notes = ([WEIGHTED] if is_unequal(inclusion) else []) + on_unlabelled_strata(inclusion)
        return notes + on_other_gold(inclusion, origin.n_gold) or [RANDOM]
    unknown = origin.n_gold - origin.n_drawn
    if unknown <= 0:
        return []
    remark = f", and {LEAST_DRAWN} are needed to do without the others" if origin.n_drawn else ""
    return [
        f"Gold items that `kappaflow audit` drew: {origin.n_drawn:,} of {origin.n_gold:,}{remark}. Nobody has said how"
        f" the others ({unknown:,}) were chosen, so the gold is not treated as a random sample: the figures use all,"
        " and hold on the condition that it is one. If these items were picked, the figures are off in the direction of"
        " the picking."
    ]


def _half_width(row: dict[str, Any], kind: str = "") -> float | None:
    low, high = row[f"{kind}low"], row[f"{kind}high"]
    return None if low is None or high is None else float(high - low) / 2

"""Precision and recall of systems and raters, label by label, from the posterior of the right labels.

A judge is a system, or one human rater with the others as the raters. Each judge is fitted as in `average`. The fits
hold how many items of each right label the judge is expected to have given which label. Precision is the share of a
given label that is right. Recall is the share of a right label that is given.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import polars as pl

from stats.accuracy import warnings_in_words
from stats.accuracy.arguments import check_confidence, check_scale
from stats.accuracy.comparison.pooling import average_models, weights
from stats.accuracy.estimators.average import AVERAGE
from stats.accuracy.fitting.em_solution import EmSolution
from stats.accuracy.fitting.likelihood import data_of, solve, why_undefined
from stats.accuracy.fitting.pattern_evidence import is_dense
from stats.accuracy.gold.audit import audit, check_gold, gold_items
from stats.accuracy.gold.gold_rows import LEAST_GOLD, NOT_AUDITED
from stats.accuracy.labels.per_label_error import bounds, cost_of_not_knowing, label_variances
from stats.accuracy.labels.per_label_gold import adding_up, audited_rows
from stats.accuracy.prepared_ratings import PreparedRatings, frame_of, prepared
from stats.accuracy.raters.annotators import FEW_GOLD_OF_ONE, Annotators, annotators
from stats.accuracy.system_patterns import split
from stats.accuracy.systems import FEW_GOLD_OF_SYSTEM, Schema
from stats.arrays import FloatArray
from stats.counts import distinct_raters, long_patterns
from stats.patterns import without_raters
from stats.unnamed import name_nobody

LABEL_SCHEMA: Schema = {
    "rater": pl.String,
    "rater_kind": pl.String,
    "label": pl.String,
    "precision": pl.Float64,
    "precision_low": pl.Float64,
    "precision_high": pl.Float64,
    "recall": pl.Float64,
    "recall_low": pl.Float64,
    "recall_high": pl.Float64,
    "n_given": pl.Int64,
    "n_expected": pl.Float64,
    "reason": pl.String,
    "detail": pl.String,
    "warnings": pl.List(pl.String),
    "n_gold": pl.Int64,
}
Row = dict[str, object]
Judge = tuple[str, str, PreparedRatings]  # name, kind, ratings of which the judge is a system


def label_quality(
    ratings: Any,
    *,
    systems: Sequence[str],
    labels: Sequence[str],
    raters: Sequence[str] | None = None,
    scale: str = "nominal",
    gold: Any = None,
    found: Annotators | None = None,
    confidence: float = 0.95,
    seed: int = 0,
) -> pl.DataFrame:
    """Return precision and recall of every label, for every system and human rater: one row per rater and label.

    `raters` are the human raters to include, None for all. Each needs its own fit, with all the others as raters. Votes
    without names (`vote #1`) have no rows.

    Columns: rater; rater_kind, `system` or `human`; label; precision and recall in [0, 1], each with low and high;
    n_given, items to which the rater gave the label (among those that another human rated); n_expected, how many of
    the rater's items are expected to have the label; reason and detail where one is null; warnings. Systems come
    first, in the order of `systems`, then the raters by name. Labels are in the declared order.

    Both are ratios of expected counts, averaged over the models of `average`. They are then adjusted so that the right
    items of all labels add up to the accuracy: for a system the one of `accuracy`, for a rater the one of
    `annotators`. Pass the result of `annotators` for the human ratings as `found`, or it is called here. With `gold`
    (see `accuracy`) both are audited: precision as an accuracy, over the items that were given the label, and recall
    on the gold items of the label. n_gold counts the gold items that have the label or were given it.

    Without gold the interval is Student's t on the logit scale, with the variance between and within the models. For
    the free model (in which each rater has a separate probability for each label) the variance within comes from its
    information. For the others it is the variance of a share of as many known items, times what the unknown right
    labels cost the accuracy. The interval is rather wide: in simulations a nominal 90 % held the truth in 90 to 100 %.
    `seed` is not used, because nothing is random.

    Null with a reason: precision of a label that the rater never gave, recall of a label that no item is expected to
    have (`zero_denominator`); everything where `accuracy` is undefined, and for human raters where there are only two
    (`too_few_raters`); with gold, a label or rater with fewer than two gold items (`too_few_gold`). Raises StatsError
    as `accuracy`.

    >>> rows = [(str(i), rater, "AB"[i % 2]) for i in range(40) for rater in ("ann", "bob", "cy", "bot")]
    >>> frame = pl.DataFrame(rows, schema=["item", "rater", "label"], orient="row")
    >>> result = label_quality(frame, systems=["bot"], labels=["A", "B"])
    >>> result.select("rater", "label", pl.col("precision").round(3), "n_given").row(0)
    ('bot', 'A', 0.988, 20)
    """
    check_scale(scale)
    check_confidence(confidence)
    prepared_ratings = prepared(ratings, systems=systems, labels=labels, scale=scale, audited=gold is not None)
    gold = None if gold is None else check_gold(gold, labels=labels)
    if found is None and (raters is None or len(raters)):
        human = frame_of(prepared_ratings).filter(~pl.col("rater").is_in(list(systems)))
        found = annotators(human, labels=labels, scale=scale, gold=gold, confidence=confidence)
    rows = [
        {"rater": name, "rater_kind": kind, "label": label, **row}
        for name, kind, judged in _judges(prepared_ratings, raters)
        for label, row in zip(
            labels, _of_judge(prepared_ratings, judged, (name, kind), found, gold, confidence), strict=True
        )
    ]
    return pl.DataFrame(rows, schema=LABEL_SCHEMA)


def _judges(prepared_ratings: PreparedRatings, raters: Sequence[str] | None) -> Iterator[Judge]:
    yield from ((system, "system", prepared_ratings) for system in prepared_ratings.systems)
    rated = frame_of(prepared_ratings).filter(~pl.col("rater").is_in(list(prepared_ratings.systems)))
    humans = distinct_raters(rated)
    if name_nobody(humans) or (raters is not None and not set(raters) & set(humans)):
        return
    everyone = long_patterns(rated, labels=prepared_ratings.labels, raters=humans)
    left_out = prepared_ratings.left_out
    for code, rater in enumerate(humans):
        if raters is None or rater in raters:
            names = {*left_out.names, left_out.originals.get(rater)} - {rater}
            others = np.array([name in names for name in humans], dtype=bool)
            place = code - int(others[:code].sum())
            table = split(without_raters(everyone, others), {rater: place}, prepared_ratings.ordered)
            yield rater, "human", replace(prepared_ratings, systems=(rater,), tables={rater: table}, solutions={})


def _of_judge(
    prepared_ratings: PreparedRatings, judged: PreparedRatings, judge: tuple[str, str], raters: Annotators | None,
    gold: pl.DataFrame | None, confidence: float,
) -> list[Row]:  # fmt: skip
    """Return the rows of one judge. They add up to the accuracy that the judge has in the other tables."""
    name, kind = judge
    patterns = judged.patterns(name, by_rater=True)
    if gold is None:
        rows = [{"n_gold": 0, **row} for row in _rows(judged, name, confidence)]
        accuracy = AVERAGE.fit(patterns).accuracy if kind == "system" else _accuracy(raters, name)
        return rows if accuracy is None else adding_up(rows, float(accuracy))
    if kind == "human" and not is_dense(patterns):
        patterns = judged.patterns(name, by_rater=False)
    everybody = (*prepared_ratings.systems, *(() if kind == "system" else (name,)))
    own = gold_items(prepared_ratings.ratings, gold, system=name, systems=everybody, labels=prepared_ratings.labels)
    if len(own.system) < LEAST_GOLD:
        detail = FEW_GOLD_OF_SYSTEM if kind == "system" else FEW_GOLD_OF_ONE
        return [{"n_given": 0, "n_gold": 0, "reason": NOT_AUDITED, "detail": detail}] * len(prepared_ratings.labels)
    fitted = AVERAGE.fit(patterns)
    audited = audit(patterns, fitted, own, confidence=confidence)
    accuracy = audited.accuracy if kind == "system" else _accuracy(raters, name) or 0.0
    rows = audited_rows(patterns, fitted, own, accuracy, confidence)
    return [row | {"warnings": list(audited.warnings[:1])} for row in rows]


def _accuracy(raters: Annotators | None, name: str) -> float | None:
    """Return a rater's accuracy from `annotators`, or None."""
    accuracy = None if raters is None else raters.of(name)["accuracy"]
    return None if accuracy is None else float(accuracy)


def _rows(judged: PreparedRatings, judge: str, confidence: float) -> list[Row]:
    k, patterns = len(judged.labels), judged.patterns(judge, by_rater=True)
    if not is_dense(patterns):
        patterns = judged.patterns(judge, by_rater=False)
    common = patterns.rated & patterns.answered
    n_given = np.bincount(patterns.system[common], weights=patterns.n_items[common], minlength=k).astype(int).tolist()
    why = why_undefined(patterns)
    if judged.tables[judge].humans.n_raters < 2:
        why = ("too_few_raters", "With two raters the other one's accuracy cannot be told, so neither can this one's.")
    if why is not None:
        return [{"n_given": n, "reason": why[0], "detail": why[1]} for n in n_given]
    data = data_of(patterns)
    models = average_models([(patterns, data)])
    w, v = weights(models, [data])
    E = np.stack([_expected(solve(model, data), k) for model in models])
    cost = cost_of_not_knowing(models, data)
    data_warnings = list(warnings_in_words.on_any(patterns, 1.0))
    rows: list[Row] = [{"n_given": n, "warnings": data_warnings} for n in n_given]
    for axis, name in ((0, "precision"), (1, "recall")):
        for label, row in enumerate(rows):
            right, n = E[:, label, label], E.sum(axis=1 + axis)[:, label]
            variances = label_variances(models, cost, data, right, n, label=label, axis=axis)
            row |= bounds(name, right, n, w, v, variances, confidence)
    for label, row in enumerate(rows):
        row["n_expected"] = float(w @ E[:, label].sum(axis=1))
        row |= _why_null(row)
    return rows


def _expected(solution: EmSolution, k: int) -> FloatArray:
    """Return the expected items (k, k) by right label and given label, of one weighting."""
    T = solution.T[0][:, -k:]
    return np.asarray(T.reshape(-1, k, k).sum(axis=0))


def _why_null(row: Row) -> Row:
    if "precision" in row and "recall" in row:
        return {}
    never = ["The rater never gave this label, so it has no precision."] if "precision" not in row else []
    none = ["No item is expected to have this label, so it has no recall."] if "recall" not in row else []
    return {"reason": "zero_denominator", "detail": " ".join([*never, *none])}

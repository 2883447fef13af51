"""How good systems and raters are at each label: precision and recall out of the posterior of the right labels.

A judge (a system, or one human rater with the others as the raters) is fitted as by `average`; the fits hold how many
items of each right label he is expected to have given which label. Precision is the share of a given label that is
right, recall the share of a right label that is given.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np
import polars as pl

from stats.accuracy import notes
from stats.accuracy.compare.pooling import average_models, weights
from stats.accuracy.em import Solution
from stats.accuracy.estimator import FloatArray
from stats.accuracy.evidence import is_dense
from stats.accuracy.likelihood import data_of, solve, why_undefined
from stats.accuracy.per_label_error import bounds, cost_of_not_knowing, label_variances
from stats.accuracy.prepared import Prepared, prepared
from stats.accuracy.systems import Schema
from stats.accuracy.tables import split
from stats.accuracy.valid import check_confidence, check_scale
from stats.counts import distinct_raters, long_patterns

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
}
Row = dict[str, object]
Judge = tuple[str, str, Prepared]  # name, kind, ratings of which the judge is a system


def label_quality(
    ratings: pl.DataFrame | Prepared,
    *,
    systems: Sequence[str],
    labels: Sequence[str],
    raters: Sequence[str] | None = None,
    scale: str = "nominal",
    confidence: float = 0.95,
    seed: int = 0,
) -> pl.DataFrame:
    """Precision and recall of every label, for every system and human rater: one row per rater and label.

    `raters` are the human raters to look at, None for all: each takes a fit of its own, with all the others.

    Columns: rater; rater_kind, `system` or `human`; label; precision and recall in [0, 1], each with low and high;
    n_given, items to which the rater gave the label (among those that another human rated); n_expected, how many of the
    rater's items are expected to have the label; reason and detail where one is null; warnings. Systems come first, in
    the order of `systems`, then the raters by name; labels as declared.

    Both are ratios of expected counts, averaged over the models of `average`; over all labels the right ones add up to
    the accuracy. The interval is Student's t on the logit scale, with the variance between the models and within them:
    for the free model (in which a rater has a chance of his own for each label) from its information; for the others
    that of a share of so many known items, times what not knowing the right labels costs the accuracy. It is rather
    wide: in simulations a nominal 90 % held the truth in 90 to 100 %. `seed` is not used: there is no randomness in it.

    Null with a reason: precision of a label that the rater never gave, recall of one that no item is expected to have
    (`zero_denominator`); everything where `accuracy` is undefined, and for human raters where there are only two
    (`too_few_raters`). Raises StatsError as `accuracy`.

    >>> rows = [(str(i), rater, "AB"[i % 2]) for i in range(40) for rater in ("ann", "bob", "cy", "bot")]
    >>> frame = pl.DataFrame(rows, schema=["item", "rater", "label"], orient="row")
    >>> found = label_quality(frame, systems=["bot"], labels=["A", "B"])
    >>> found.select("rater", "label", pl.col("precision").round(3), "n_given").row(0)
    ('bot', 'A', 1.0, 20)
    """
    check_scale(scale)
    check_confidence(confidence)
    once = prepared(ratings, systems=systems, labels=labels, scale=scale)
    rows = [
        {"rater": name, "rater_kind": kind, "label": label, **row}
        for name, kind, judged in _judges(once, raters)
        for label, row in zip(labels, _rows(judged, name, confidence), strict=True)
    ]
    return pl.DataFrame(rows, schema=LABEL_SCHEMA)


def _judges(once: Prepared, raters: Sequence[str] | None) -> Iterator[Judge]:
    yield from ((system, "system", once) for system in once.systems)
    humans = [rater for rater in distinct_raters(once.ratings) if rater not in set(once.systems)]
    if raters is not None and not set(raters) & set(humans):
        return
    rated = once.ratings.filter(~pl.col("rater").is_in(list(once.systems)))
    everyone = long_patterns(rated, labels=once.labels, raters=humans)
    for code, rater in enumerate(humans):
        if raters is None or rater in raters:
            table = split(everyone, {rater: code}, once.ordered)
            yield rater, "human", replace(once, systems=(rater,), tables={rater: table}, solutions={})


def _rows(judged: Prepared, judge: str, confidence: float) -> list[Row]:
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
    about = list(notes.on_any(patterns, 1.0))
    rows: list[Row] = [{"n_given": n, "warnings": about} for n in n_given]
    for axis, name in ((0, "precision"), (1, "recall")):
        for label, row in enumerate(rows):
            right, n = E[:, label, label], E.sum(axis=1 + axis)[:, label]
            variances = label_variances(models, cost, data, right, n, label=label, axis=axis)
            row |= bounds(name, right, n, w, v, variances, confidence)
    for label, row in enumerate(rows):
        row["n_expected"] = float(w @ E[:, label].sum(axis=1))
        row |= _why_null(row)
    return rows


def _expected(solution: Solution, k: int) -> FloatArray:
    """(k, k) expected items by right label and given label, of one weighting."""
    T = solution.T[0][:, -k:]
    return np.asarray(T.reshape(-1, k, k).sum(axis=0))


def _why_null(row: Row) -> Row:
    if "precision" in row and "recall" in row:
        return {}
    never = ["The rater never gave this label, so it has no precision."] if "precision" not in row else []
    none = ["No item is expected to have this label, so it has no recall."] if "recall" not in row else []
    return {"reason": "zero_denominator", "detail": " ".join([*never, *none])}

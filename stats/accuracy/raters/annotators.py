"""Accuracy of the human raters: one for all of them and one for each, the same in every table.

The annotators' accuracy is the probability that a human rating of the question, drawn at random, is right. Each rater
counts by how many ratings they gave. A rater's accuracy is that probability for their own ratings. Both come from the
models of `stats.accuracy.estimators.average`, fitted to the human ratings alone, and with gold from the audit of
these.

The best of several raters looks better than they are, by chance. So the raters' accuracies are shrunk towards the
common one, each according to its error (`drawn_together`). They are then shifted together so that their mean, by
ratings, is the annotators' accuracy. The best rater is the most accurate one among those with MIN_RATINGS or more.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import polars as pl

from stats.accuracy.arguments import check_confidence, check_labels, check_scale
from stats.accuracy.fitting.estimator import Interval
from stats.accuracy.fitting.likelihood import Why
from stats.accuracy.fitting.logit import interval
from stats.accuracy.gold.annotator_audit import AnnotatorAudit, audit_annotators
from stats.accuracy.gold.audit import check_gold
from stats.accuracy.gold.gold_rows import LEAST_GOLD, NOT_AUDITED
from stats.accuracy.raters.annotator_fit import AnnotatorFit, fit_annotators
from stats.accuracy.raters.left_out import LeftOut, left_out_raters, marked
from stats.accuracy.raters.partial_pooling import drawn_together, with_mean
from stats.accuracy.raters.rater_overlap import RaterOverlap, rater_overlaps
from stats.accuracy.warnings_in_words import LOW_KAPPA
from stats.agreement.breakdowns.contradictions import MAX_RATERS, MIN_ITEMS, contradictions
from stats.agreement.breakdowns.pairs_by_scale import pairs_by_scale
from stats.arrays import BoolArray, FloatArray
from stats.counts import CountedRatings, distinct_raters, long_patterns
from stats.patterns import without_raters
from stats.ratings import polars_frame
from stats.special_functions import ndtri
from stats.unnamed import name_nobody

QUALITY_SCHEMA = {
    "rater": pl.String,
    "n_ratings": pl.Int64,
    "accuracy": pl.Float64,
    "low": pl.Float64,
    "high": pl.Float64,
    "agreement_with_others": pl.Float64,
    "reason": pl.String,
    "detail": pl.String,
    "n_gold": pl.Int64,
}
MIN_RATINGS = 30  # ratings that a rater must have to count as the best
ALIKE = (
    "The raters differ hardly more than chance makes them differ, so their accuracies are drawn far towards their mean"
    " and the best of them is little better than the average rater."
)
AGREE_LITTLE = (
    "The raters agree little (kappa {:.3f}, below {}), so little is known of their accuracy, and the models tend to put"
    " it too high. The intervals reach down to what even errors would give for the least agreement that fits the"
    " ratings."
)
FEW_GOLD_OF_ALL = "Only {} of the gold items were rated by a person, and an audit of the raters takes {}."
FEW_GOLD_OF_ONE = f"The rater rated fewer than {LEAST_GOLD} of the gold items: too few for an audit."
Row = dict[str, Any]


@dataclass(frozen=True)
class Annotators:
    """The annotators' accuracy with error and interval, its gold items, and the raters.

    The accuracy is None where undefined, with a reason. `raters` has one row per rater, of QUALITY_SCHEMA, sorted by
    name. `audit` holds the audit with gold, by position of the rater. `left_out`: raters on whose ratings no accuracy
    rests.
    """

    accuracy: float | None
    se: float | None
    low: float | None
    high: float | None
    n_ratings: int
    n_gold: int
    reason: str | None
    detail: str | None
    warnings: tuple[str, ...]
    raters: pl.DataFrame
    audit: AnnotatorAudit | None = field(default=None, repr=False)
    left_out: LeftOut = field(default_factory=LeftOut, repr=False)

    @property
    def best(self) -> str | None:
        """Return the most accurate rater among those with MIN_RATINGS or more, or None."""
        many = self.raters.filter(pl.col("n_ratings") >= MIN_RATINGS, pl.col("accuracy").is_not_null())
        return None if many.is_empty() else str(many.sort("accuracy", "rater", descending=[True, False])["rater"][0])

    def of(self, rater: str) -> Row:
        """Return a rater's row."""
        return self.raters.row(by_predicate=pl.col("rater") == rater, named=True)


@dataclass(frozen=True)
class _Figures:
    """The accuracies before they become a table.

    For all raters: accuracy, se and interval, gold items. For each rater: accuracy, interval (r, 2), and why there is
    none.
    """

    accuracy: float | None
    error: tuple[float | None, float | None, float | None]
    n_gold: int
    why: Why
    each: FloatArray
    bounds: FloatArray
    each_gold: list[int]
    each_why: list[Why]
    warnings: tuple[str, ...] = ()


def annotators(
    ratings: Any,
    *,
    labels: Sequence[str],
    scale: str = "nominal",
    gold: Any = None,
    confidence: float = 0.95,
) -> Annotators:
    """Return the accuracy of the human raters, together and one by one. Pass human ratings only.

    Without gold all accuracies are right if people err independently of each other. The interval is on the logit
    scale, with the variance between the models. With `gold` (item, label: the right answers of a random sample of the
    items) each accuracy is audited, with Student's t. An accuracy with fewer than two gold items is null, with reason
    `too_few_gold`.

    Where the raters agree little (kappa below LOW_KAPPA), the intervals without gold reach down to what their agreement
    alone says (`stats.accuracy.raters.pair_agreement`).

    Without gold the accuracies are undefined where no item has two ratings (`zero_denominator`) or the raters agree no
    better than chance (`not_identified`), and where they agree little on many labels with few items for each
    (`too_many_labels`). A single rater's accuracy is also undefined where the other raters leave
    nothing to estimate it from (`stats.accuracy.raters.rater_overlap`). Raters who gave nearly always the same label,
    or the labels of another one, have none, and no accuracy without gold rests on their ratings
    (`stats.accuracy.raters.left_out`). The detail of such a null names a rater who contradicts the others
    (`stats.agreement.breakdowns.contradictions`). Votes without names (`vote #1`) have an accuracy together and no
    rows. Raises StatsError for ratings that `stats.counts` refuses, fewer than two labels, bad gold.

    >>> rows = [(str(i), rater, "AB"[(i + (i % 5 == j)) % 2]) for i in range(40) for j, rater in enumerate("abc")]
    >>> result = annotators(pl.DataFrame(rows, schema=["item", "rater", "label"], orient="row"), labels=["A", "B"])
    >>> result.accuracy is not None and abs(result.accuracy - result.raters["accuracy"].mean()) < 1e-6
    True
    """
    check_scale(scale)
    check_labels(labels)
    check_confidence(confidence)
    if gold is not None:
        gold = check_gold(gold, labels=labels)
    names = distinct_raters(ratings)
    if not names:
        none = pl.DataFrame(schema=QUALITY_SCHEMA)
        return Annotators(None, None, None, None, 0, 0, "too_few_raters", "Nobody rated.", (), none)
    humans = long_patterns(ratings, labels=labels, raters=names)
    has_names, overlaps = not name_nobody(names), rater_overlaps(humans)
    left_out = left_out_raters(humans, names) if gold is None else LeftOut()
    is_left_out = marked(left_out, names)
    others = without_raters(humans, is_left_out)
    fit = fit_annotators(others, ordered=scale != "nominal", has_names=has_names)
    n_ratings = np.array([each.n_ratings for each in overlaps], dtype=np.float64)
    fitted, why = (fit, None) if isinstance(fit, AnnotatorFit) else (None, fit)
    audit = None
    if gold is not None:
        frame = ratings.ratings if isinstance(ratings, CountedRatings) else polars_frame(ratings)
        audit = audit_annotators(humans, fitted, frame, gold, raters=names, labels=labels)
        figures = _audited(audit, fitted, n_ratings, confidence)
    elif fitted is None:
        figures = _undefined(why, overlaps)
    else:
        of_others = rater_overlaps(others) if left_out.details else overlaps
        figures = _modelled(fitted, of_others, n_ratings[~is_left_out], confidence)
        figures = _with_left_out(figures, is_left_out, [*left_out.details.values()])
    result = replace(_result(figures, names, overlaps, audit), left_out=left_out)
    if not has_names:
        return _without_names(result)
    return result if gold is not None else replace(result, raters=_with_contradictions(result, ratings, labels, scale))


def annotators_without_figures(
    ratings: pl.DataFrame | CountedRatings, *, labels: Sequence[str], why: Why
) -> Annotators:
    """Return the human raters without any accuracy, for this reason and sentence. Pass human ratings only."""
    names = distinct_raters(ratings)
    overlaps = rater_overlaps(long_patterns(ratings, labels=labels, raters=names))
    figures = replace(_undefined(why, overlaps), each_why=[why] * len(names))
    result = _result(figures, names, overlaps, None)
    return _without_names(result) if name_nobody(names) else result


def _without_names(result: Annotators) -> Annotators:
    """Return the result without single raters: nobody knows which votes are of one person."""
    warnings = tuple(warning for warning in result.warnings if warning != ALIKE)
    return replace(result, raters=result.raters.clear(), warnings=warnings)


def _with_contradictions(
    result: Annotators, ratings: pl.DataFrame | CountedRatings, labels: Sequence[str], scale: str
) -> pl.DataFrame:
    """Return the raters' rows. Where a rater who contradicts the others has no accuracy, the detail begins with that.

    The pairs are not compared where everybody has an accuracy, or where there are more raters than anyone looks at.
    """
    has_none = pl.col("reason").is_not_null()
    if result.raters.height > MAX_RATERS or result.raters.filter(has_none).is_empty():
        return result.raters
    pairs = pairs_by_scale(ratings, labels=labels, scale=scale, min_items=MIN_ITEMS)
    raters = result.raters
    for contradiction in contradictions(pairs.to_dicts()):
        is_named = has_none & pl.col("rater").is_in(contradiction.raters)
        detail = pl.concat_str(pl.lit(f"{contradiction.sentence_without_names} "), pl.col("detail"))
        raters = raters.with_columns(detail=pl.when(is_named).then(detail).otherwise("detail"))
    return raters


def _with_left_out(figures: _Figures, is_left_out: BoolArray, details: Sequence[str]) -> _Figures:
    """Return the figures of all raters from those of the others. Raters who are left out have none, and a detail."""
    each, bounds = np.zeros(len(is_left_out)), np.zeros((len(is_left_out), 2))
    each[~is_left_out], bounds[~is_left_out] = figures.each, figures.bounds
    of_others, of_left_out = iter(figures.each_why), iter(details)
    whys: list[Why] = [("not_identified", next(of_left_out)) if out else next(of_others) for out in is_left_out]
    return replace(figures, each=each, bounds=bounds, each_gold=[0] * len(is_left_out), each_why=whys)


def _modelled(fitted: AnnotatorFit, overlaps: list[RaterOverlap], n: FloatArray, confidence: float) -> _Figures:
    """Return the accuracies by the models alone."""
    mean, (variance, degrees) = fitted.accuracy, fitted.error
    own = fitted.variance * (fitted.each * (1 - fitted.each)) ** 2
    drawn, alike = drawn_together(fitted.each, own, mean)
    each = with_mean(drawn, n, mean)
    total, warnings = interval(mean, variance, confidence, degrees), (ALIKE,) if alike else ()
    bounds = np.empty((len(each), 2))
    for rater, accuracy in enumerate(each):
        inside = float(np.clip(accuracy, 1e-6, 1 - 1e-6))
        rater_interval = interval(inside, float(fitted.variance[rater]) + fitted.between, confidence)
        bounds[rater] = min(rater_interval.low or 0.0, accuracy), max(rater_interval.high or 0.0, accuracy)
    if fitted.agreement.kappa < LOW_KAPPA:
        least = fitted.agreement.least_accuracy(confidence)
        total, bounds[:, 0] = _down_to(least, total, confidence), np.minimum(bounds[:, 0], least)
        warnings = (AGREE_LITTLE.format(fitted.agreement.kappa, LOW_KAPPA), *warnings)
    error, why = (total.se, total.low, total.high), [overlap.why for overlap in overlaps]
    return _Figures(mean, error, 0, None, each, bounds, [0] * len(each), why, warnings)


def _down_to(least: float, total: Interval, confidence: float) -> Interval:
    """Return the interval with its lower end at `least` or below, and a standard error that fits it."""
    if total.low is None or total.high is None or total.low <= least:
        return total
    return Interval(
        max(total.se or 0.0, (total.high - least) / 2 / float(ndtri((1 + confidence) / 2))), least, total.high
    )


def _audited(audit: AnnotatorAudit, fitted: AnnotatorFit | None, n: FloatArray, confidence: float) -> _Figures:
    """Return the accuracies by the gold items.

    Raters with too few gold items have no accuracy of their own, but count in the mean.
    """
    counts = [0 if gold is None else gold.n_gold for gold in audit.each]
    missing: list[Why] = [None if gold is not None else (NOT_AUDITED, FEW_GOLD_OF_ONE) for gold in audit.each]
    all_of_them = audit.together
    if all_of_them is None:
        why = (NOT_AUDITED, FEW_GOLD_OF_ALL.format(audit.n_gold, LEAST_GOLD))
        nothing = np.zeros(len(n))
        return _Figures(None, (None, None, None), audit.n_gold, why, nothing, np.zeros((len(n), 2)), counts, missing)
    mean = all_of_them.accuracy
    model = np.full(len(n), mean) if fitted is None else fitted.each + mean - fitted.accuracy
    has_audit = np.array([gold is not None for gold in audit.each])
    raw = np.array([model[rater] if gold is None else gold.accuracy for rater, gold in enumerate(audit.each)])
    variance = np.array([0.25 if gold is None else max(gold.variance, 1e-9) for gold in audit.each])
    alike = False
    if has_audit.any():
        raw[has_audit], alike = drawn_together(raw[has_audit], variance[has_audit], mean)
    each = with_mean(np.clip(raw, 0, 1), n, mean)
    bounds = np.array(
        [(0.0, 1.0) if gold is None else gold.interval(float(accuracy), confidence)
         for gold, accuracy in zip(audit.each, each, strict=True)]
    )  # fmt: skip
    low, high = all_of_them.interval(mean, confidence)
    warnings = (ALIKE,) if alike else ()
    return _Figures(
        mean, (all_of_them.se, low, high), all_of_them.n_gold, None, each, bounds, counts, missing, warnings
    )


def _undefined(why: Why, overlaps: list[RaterOverlap]) -> _Figures:
    r = len(overlaps)
    return _Figures(
        None,
        (None, None, None),
        0,
        why,
        np.zeros(r),
        np.zeros((r, 2)),
        [0] * r,
        [overlap.why or why for overlap in overlaps],
    )


def _result(
    figures: _Figures, names: list[str], overlaps: list[RaterOverlap], audit: AnnotatorAudit | None
) -> Annotators:
    rows = [
        {
            "rater": name,
            "n_ratings": overlap.n_ratings,
            "agreement_with_others": overlap.agreement,
            "n_gold": gold,
            **(
                {"accuracy": float(accuracy), "low": float(low), "high": float(high)}
                if why is None
                else {"reason": why[0], "detail": why[1]}
            ),
        }
        for name, overlap, accuracy, (low, high), gold, why in zip(
            names, overlaps, figures.each, figures.bounds, figures.each_gold, figures.each_why, strict=True
        )
    ]
    reason, detail = figures.why or (None, None)
    return Annotators(
        figures.accuracy,
        *figures.error,
        sum(overlap.n_ratings for overlap in overlaps),
        figures.n_gold,
        reason,
        detail,
        (*((audit.sample_note,) if audit is not None and figures.n_gold else ()), *figures.warnings),
        pl.DataFrame(rows, schema=QUALITY_SCHEMA),
        audit,
    )

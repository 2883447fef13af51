"""Gold audit: a few items with the right answer correct the model's estimate (prediction-powered inference).

Source: A. N. Angelopoulos, J. C. Duchi & T. Zrnic (2023), PPI++: Efficient Prediction-Powered Inference,
arXiv:2311.01453, with the model's score of an item = probability that the system's own answer is right.
Approximately unbiased whatever assumption of the model is violated, provided the gold items are a random
sample. A model that knows its own error is then combined with it, each by its mean squared error (`combined`).
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from stats.accuracy import gold_notes
from stats.accuracy.estimator import Fit, FloatArray, IntArray, Patterns
from stats.accuracy.items import codes, count_items
from stats.accuracy.prediction_powered import Score, prediction_powered, quantile
from stats.errors import StatsError
from stats.ratings import N_ITEMS

_TEXT = pl.col("item", "label").cast(pl.String)


@dataclass(frozen=True)
class Gold:
    """The gold items that one system answered, a row each: human counts, the system's code, the right code.

    A gold item that stands for several has as many rows. Rows stand in an order that the names of items do not change.
    """

    C: IntArray
    system: IntArray
    truth: IntArray
    n_elsewhere: int  # gold items the system did not answer

    @property
    def correct(self) -> FloatArray:
        return np.asarray(self.system == self.truth, dtype=np.float64)

    def take(self, rows: IntArray) -> "Gold":
        """Some of the items, in this order."""
        return Gold(self.C[rows], self.system[rows], self.truth[rows], self.n_elsewhere)


@dataclass(frozen=True)
class Audit:
    """Audited accuracy with standard error and t interval; the three None with a single gold item.

    unbiased:  the prediction-powered estimate; se, low and high are its own (the interval is widened where it would
               not hold the accuracy). Equal to the accuracy where the model does not know its own error.
    more_gold: (gold items in all, half-width that they would give), for rounder numbers than there are.
    """

    accuracy: float
    se: float | None
    low: float | None
    high: float | None
    warnings: tuple[str, ...]
    unbiased: float | None = None
    more_gold: tuple[tuple[int, float], ...] = ()


def gold_items(
    ratings: pl.DataFrame, gold: pl.DataFrame, *, system: str, systems: Sequence[str], labels: Sequence[str]
) -> Gold:
    """The gold items among the system's items, with what the human raters said of them."""
    found = by_name(ratings, gold, system=system, systems=systems, labels=labels)
    return found.take(in_order(found.C, found.system, found.truth))


def by_name(
    ratings: pl.DataFrame, gold: pl.DataFrame, *, system: str, systems: Sequence[str], labels: Sequence[str]
) -> Gold:
    """The same, sorted by the names of the items."""
    ratings, gold = ratings.with_columns(_TEXT), _written_out(gold.with_columns(_TEXT), ratings)
    answers = ratings.filter(pl.col("rater") == system).select("item", answer="label")
    known = gold.select("item", truth="label").join(answers, on="item", how="inner").sort("item")
    humans = ratings.filter(~pl.col("rater").is_in(list(systems))).join(known, on="item", how="semi")
    items = count_items(humans, labels=labels)
    nothing = np.zeros((1, len(labels)), np.int64)  # of an item that nobody rated, whose code is -1
    C = np.concatenate([items.C, nothing])[codes(known["item"], items.names)]
    names = pl.Series(list(labels), dtype=pl.String)
    return Gold(C, codes(known["answer"], names), codes(known["truth"], names), gold.height - known.height)


def in_order(*codes: IntArray) -> IntArray:
    """The rows of these codes, (m,) or (m, k) each, sorted by them: the same whatever order they are in."""
    return np.lexsort(np.column_stack(codes).T[::-1])


def _written_out(gold: pl.DataFrame, ratings: pl.DataFrame) -> pl.DataFrame:
    """As many rows of each gold item as it stands for: n_items in the ratings, else in gold, else one."""
    known = [frame.select("item", pl.col(N_ITEMS).cast(pl.Int64)).join(gold, on="item", how="semi")
             for frame in (ratings.with_columns(_TEXT), gold) if N_ITEMS in frame.columns]  # fmt: skip
    if not known:
        return gold
    n_items = pl.concat(known).unique("item", keep="first", maintain_order=True)
    found = gold.select("item", "label").join(n_items, on="item", how="left")
    return found.select(pl.col("item", "label").repeat_by(pl.col(N_ITEMS).fill_null(1))).explode("item", "label")


def audit(patterns: Patterns, fitted: Fit, gold: Gold, *, confidence: float) -> Audit:
    """The model's accuracy, corrected by the gold items; see `prediction_powered` and `combined`.

    The interval is that of the prediction-powered estimate, Student's t with n_gold - 1 degrees, cut at 0 and 1: it
    holds whatever the model's bias. A single gold item leaves the model's figure as it is.
    """
    Y, m, n = gold.correct, len(gold.correct), patterns.count(patterns.answered)
    f, f_mean = _scores(patterns, fitted, gold)
    found = prediction_powered(Score(Y, f, f_mean, n))
    if m < 2:
        # One item says next to nothing of a share: it must not outweigh a model that has seen them all.
        accuracy = found.accuracy if fitted.accuracy is None else fitted.accuracy
        return Audit(accuracy, None, None, None, gold_notes.on_audit(fitted, m, gold.n_elsewhere))
    own = _model_error(fitted)
    accuracy = combined(found.accuracy, found.se(m), fitted.accuracy, None if own is None else own[0])
    half = found.half_width(m, confidence)
    more = tuple((size, found.half_width(size, confidence)) for size in gold_notes.sizes(m, n))
    return Audit(
        accuracy,
        found.se(m),
        max(0.0, min(found.accuracy - half, accuracy)),
        min(1.0, max(found.accuracy + half, accuracy)),
        (
            *gold_notes.on_audit(fitted, m, gold.n_elsewhere),
            *gold_notes.on_combined(accuracy, found.accuracy),
            *gold_notes.on_more(m, half, more, None if own is None else quantile(own[1], confidence) * own[0] ** 0.5),
        ),
        found.accuracy,
        more,
    )


def combined(unbiased: float, se: float, model: float | None, variance: float | None) -> float:
    """Unbiased estimate and model, weighted by the inverse of their mean squared errors.

    The model's is what the two differ by, (model - unbiased)^2 - se^2, and at least the model's own variance; so the
    result lies within one se of the unbiased estimate, and comes back to it as gold items show the model to be off.
    The unbiased estimate itself where the model has no estimate or no error of its own.

    >>> round(combined(0.9, 0.08, 0.8, 0.0064), 3), round(combined(0.9, 0.01, 0.8, 0.0064), 3)
    (0.85, 0.899)
    """
    if model is None or variance is None or se == 0:
        return unbiased
    squared_error = max((model - unbiased) ** 2 - se**2, variance)
    return unbiased + se**2 / (se**2 + squared_error) * (model - unbiased)


def _model_error(fitted: Fit) -> tuple[float, float] | None:
    """Variance of the model's accuracy, by the delta method, and its degrees of freedom."""
    error = fitted.logit_error() if fitted.logit_error is not None else None
    if error is None or fitted.accuracy is None:
        return None
    return error[0] * (fitted.accuracy * (1 - fitted.accuracy)) ** 2, error[1]


def _scores(patterns: Patterns, fitted: Fit, gold: Gold) -> tuple[FloatArray, float]:
    """Model scores of the gold items, and their mean over all items the system answered."""
    if fitted.score is None:
        return np.zeros(len(gold.system)), 0.0
    asked = patterns.answered
    everywhere = fitted.score(patterns.C[asked], patterns.system[asked])
    mean = float(np.average(everywhere, weights=patterns.n_items[asked]))
    return fitted.score(gold.C, gold.system), mean


def check_gold(gold: pl.DataFrame, *, labels: Sequence[str]) -> None:
    """Raises StatsError unless `gold` has one declared label per item."""
    missing = {"item", "label"} - set(gold.columns)
    if missing:
        raise StatsError(
            f"Gold needs the columns item and label, but {sorted(missing)} are missing. Rename its columns."
        )
    if gold.select(pl.col("item", "label").null_count()).sum_horizontal().item():
        raise StatsError("Gold holds an empty item or label. Drop those rows.")
    unknown = sorted(set(gold["label"].cast(pl.String).unique()) - set(labels))
    if unknown:
        raise StatsError(f"Gold holds the undeclared label {unknown[0]!r}. Add it to labels, or correct it.")
    if N_ITEMS in gold.columns and not (gold.schema[N_ITEMS].is_integer() and (gold[N_ITEMS].fill_null(0) > 0).all()):
        raise StatsError("The column n_items of gold must be whole numbers from 1, found others. Repair or drop it.")
    twice = gold.filter(pl.col("item").is_duplicated())["item"].sort()
    if len(twice):
        raise StatsError(f"Gold holds item {twice[0]!r} more than once. Keep one right label per item.")

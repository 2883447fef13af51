"""Gold audit: a few items with the right answer correct the model's estimate (prediction-powered inference).

Source: A. N. Angelopoulos, J. C. Duchi & T. Zrnic (2023), PPI++: Efficient Prediction-Powered Inference,
arXiv:2311.01453. The model's score of an item is the probability that the system's own answer is right. The estimate
is approximately unbiased, whatever assumption of the model is violated, if the gold items are a random sample. A model
with a known error is then combined with it, each weighted by its mean squared error (`combined`).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from stats.accuracy.fitting.estimator import SystemFit, SystemPatterns
from stats.accuracy.gold import audit_notes
from stats.accuracy.gold.gold_weights import check_inclusion, is_drawn, size_with_more, weights_of
from stats.accuracy.gold.picked_gold import on_picked
from stats.accuracy.gold.prediction_powered import Score, prediction_powered, quantile
from stats.accuracy.item_counts import codes, count_items
from stats.arrays import FloatArray, IntArray
from stats.errors import StatsError
from stats.ratings import INCLUSION, N_ITEMS, polars_frame

AS_TEXT = pl.col("item", "label").cast(pl.String)


@dataclass(frozen=True)
class GoldItems:
    """The gold items that one system answered, one row each: human counts, the system's code, the right code.

    A gold item that represents several items has as many rows. Item names do not affect the order of the rows.
    """

    C: IntArray
    system: IntArray
    truth: IntArray
    n_elsewhere: int  # gold items the system did not answer
    weight: FloatArray | None = None  # what each stands for; None where all were as likely to be drawn
    drawn: bool = False  # with known probabilities, alike or not

    @property
    def origin(self) -> str:
        """Return 'drawn' or 'unknown'."""
        return "drawn" if self.drawn else "unknown"

    @property
    def sample_note(self) -> str:
        """Say how the gold items were chosen."""
        return audit_notes.on_sample(drawn=self.drawn, weighted=self.weight is not None)

    @property
    def correct(self) -> FloatArray:
        """Return 1 where the system is right, else 0 (m,)."""
        return np.asarray(self.system == self.truth, dtype=np.float64)

    def in_order(self) -> "GoldItems":
        """Return the rows in an order that does not depend on the item names."""
        weight = [] if self.weight is None else [self.weight]
        return self.take(in_order(self.C, self.system, self.truth, *weight))

    def take(self, rows: IntArray) -> "GoldItems":
        """Return the items in `rows`, in this order."""
        weight = None if self.weight is None else self.weight[rows]
        return GoldItems(self.C[rows], self.system[rows], self.truth[rows], self.n_elsewhere, weight, self.drawn)


@dataclass(frozen=True)
class AuditedAccuracy:
    """An audited accuracy with standard error and t interval. se, low and high are None with a single gold item.

    - unbiased: the prediction-powered estimate. se, low and high belong to it; the interval is widened where it would
      not hold the accuracy. It equals the accuracy where the model's error is not known.
    - more_gold: (gold items in total, half-width they would reach, cut at 0 and 1 as the interval is), for rounder
      numbers above the present one.
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
) -> GoldItems:
    """Return the gold items among the system's items, with the human ratings of them."""
    return by_name(ratings, gold, system=system, systems=systems, labels=labels).in_order()


def by_name(
    ratings: pl.DataFrame, gold: pl.DataFrame, *, system: str, systems: Sequence[str], labels: Sequence[str]
) -> GoldItems:
    """Return the gold items among the system's items, sorted by item name."""
    ratings, gold = ratings.with_columns(AS_TEXT), written_out(gold.with_columns(AS_TEXT), ratings)
    answers = ratings.filter(pl.col("rater") == system).select("item", answer="label")
    judged = gold.rename({"label": "truth"}).join(answers, on="item", how="inner").sort("item")
    humans = ratings.filter(~pl.col("rater").is_in(list(systems))).join(judged, on="item", how="semi")
    items = count_items(humans, labels=labels)
    nothing = np.zeros((1, len(labels)), np.int64)  # counts of an unrated item; its code -1 selects this last row
    C = np.concatenate([items.C, nothing])[codes(judged["item"], items.names)]
    names = pl.Series(list(labels), dtype=pl.String)
    answered, truth = (codes(judged[name], names) for name in ("answer", "truth"))
    return GoldItems(C, answered, truth, gold.height - judged.height, weights_of(judged), is_drawn(gold))


def in_order(*codes: IntArray | FloatArray) -> IntArray:
    """Return the order that sorts the rows of these codes, each (m,) or (m, k).

    The sorted rows are the same for any order of the input.
    """
    return np.lexsort(np.column_stack(codes).T[::-1])


def written_out(gold: pl.DataFrame, ratings: pl.DataFrame) -> pl.DataFrame:
    """Repeat each gold item as often as it represents an item: n_items in the ratings, else in gold, else once.

    A list of probabilities is that of the items that it represents, one for each.
    """
    columns = ["item", "label", *([INCLUSION] if INCLUSION in gold.columns else [])]
    if gold.schema.get(INCLUSION) == pl.List(pl.Float64):
        return gold.select(columns).explode(INCLUSION)
    item_counts = [frame.select("item", pl.col(N_ITEMS).cast(pl.Int64)).join(gold, on="item", how="semi")
             for frame in (ratings.with_columns(AS_TEXT), gold) if N_ITEMS in frame.columns]  # fmt: skip
    if not item_counts:
        return gold.select(columns)
    n_items = pl.concat(item_counts).unique("item", keep="first", maintain_order=True)
    counted = gold.select(columns).join(n_items, on="item", how="left")
    return counted.select(pl.col(columns).repeat_by(pl.col(N_ITEMS).fill_null(1))).explode(columns)


def audit(patterns: SystemPatterns, fitted: SystemFit, gold: GoldItems, *, confidence: float) -> AuditedAccuracy:
    """Return the model's accuracy, corrected by the gold items; see `prediction_powered` and `combined`.

    The interval is that of the prediction-powered estimate: Student's t with n_gold - 1 degrees of freedom, cut at 0
    and 1. It is right whatever the model's bias. With a single gold item the model's accuracy stays as it is.
    """
    Y, m, n = gold.correct, len(gold.correct), patterns.count(patterns.answered)
    f, f_mean = scores(patterns, fitted, gold)
    picked = [] if gold.drawn else on_picked(patterns, gold.C, gold.system)
    estimate = prediction_powered(Score(Y, f, f_mean, n, gold.weight))
    if m < 2:
        # One item says almost nothing about a share. It must not outweigh a model that has seen all items.
        accuracy = estimate.accuracy if fitted.accuracy is None else fitted.accuracy
        notes = audit_notes.on_audit(fitted, m, gold.n_elsewhere, gold.sample_note)
        return AuditedAccuracy(accuracy, None, None, None, notes)
    own = _model_error(fitted)
    variance = None if own is None else own[0]
    accuracy = combined(estimate.accuracy, estimate.se(m), fitted.accuracy, variance, share=m / n)
    half = estimate.half_width(m, confidence)
    low, high = max(0.0, min(estimate.accuracy - half, accuracy)), min(1.0, max(estimate.accuracy + half, accuracy))
    more = tuple(
        (size, estimate.cut_half_width(size_with_more(gold.weight, m, size - m), confidence))
        for size in audit_notes.sizes(m, n)
    )
    return AuditedAccuracy(
        accuracy,
        estimate.se(m),
        low,
        high,
        (
            *audit_notes.on_audit(fitted, m, gold.n_elsewhere, gold.sample_note, (low, high)),
            *picked,
            *audit_notes.on_combined(accuracy, estimate.accuracy),
            *audit_notes.on_more(
                m, (high - low) / 2, more, None if own is None else quantile(own[1], confidence) * own[0] ** 0.5
            ),
        ),
        estimate.accuracy,
        more,
    )


def combined(unbiased: float, se: float, model: float | None, variance: float | None, share: float = 0.0) -> float:
    """Return the average of unbiased estimate and model, weighted by the inverse of their mean squared errors.

    The model's mean squared error is (model - unbiased)^2 - se^2, and at least the model's own variance. So the result
    lies within one se of the unbiased estimate, and returns to it as gold items show that the model is off. It is the
    unbiased estimate itself where the model has no estimate or no variance.

    share is that of the items that have gold. Of these the truth is known, so that the model says something of the
    others only: se^2 counts by 1 - share, and with gold for all items the model has no weight.

    >>> round(combined(0.9, 0.08, 0.8, 0.0064), 3), round(combined(0.9, 0.01, 0.8, 0.0064), 3)
    (0.85, 0.899)
    >>> combined(0.9, 0.08, 0.8, 0.0064, share=1.0)
    0.9
    """
    own = se**2 * max(0.0, 1 - share)
    if model is None or variance is None or own == 0:
        return unbiased
    squared_error = max((model - unbiased) ** 2 - se**2, variance)
    return unbiased + own / (own + squared_error) * (model - unbiased)


def _model_error(fitted: SystemFit) -> tuple[float, float] | None:
    """Return the variance of the model's accuracy and its degrees of freedom; None where undefined.

    The variance comes from the delta method.
    """
    error = fitted.logit_error() if fitted.logit_error is not None else None
    if error is None or fitted.accuracy is None:
        return None
    return error[0] * (fitted.accuracy * (1 - fitted.accuracy)) ** 2, error[1]


def scores(patterns: SystemPatterns, fitted: SystemFit, gold: GoldItems) -> tuple[FloatArray, float]:
    """Return the model's scores of the gold items, and their mean over all items that the system answered."""
    if fitted.score is None:
        return np.zeros(len(gold.system)), 0.0
    answered = patterns.answered
    everywhere = fitted.score(patterns.C[answered], patterns.system[answered])
    mean = float(np.average(everywhere, weights=patterns.n_items[answered]))
    return fitted.score(gold.C, gold.system), mean


def check_gold(gold: Any, *, labels: Sequence[str]) -> pl.DataFrame:
    """Return `gold` as a polars frame. Raises StatsError unless it has one declared label per item."""
    gold = polars_frame(gold, what="Gold", columns=("item", "label"))
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
    check_inclusion(gold)
    twice = gold.filter(pl.col("item").is_duplicated())["item"].sort()
    if len(twice):
        raise StatsError(f"Gold holds item {twice[0]!r} more than once. Keep one right label per item.")
    checked: pl.DataFrame = gold
    return checked

"""Gold items as rows, for comparing item by item what systems and raters got right."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from stats.accuracy.fitting.estimator import SystemFit, SystemPatterns
from stats.accuracy.gold.audit import AS_TEXT, GoldItems, scores, written_out
from stats.accuracy.gold.gold_weights import scaled, weights_of
from stats.accuracy.gold.prediction_powered import Score, prediction_powered
from stats.accuracy.item_counts import codes
from stats.arrays import FloatArray, IntArray

LEAST_GOLD = 2  # least number of gold items for an audit
NOT_AUDITED = "too_few_gold"


@dataclass(frozen=True)
class GoldRows:
    """The g gold items, sorted by name. An item that represents several has as many rows.

    - truth (g,): codes of the right labels.
    - C (g, k): human ratings of each label.
    - row, rater, label (E,): these ratings one by one. The rater is a position in the list of human raters.
    - answers: codes of each system's labels (g,), -1 where the system gave none.
    - weight (g,): what each item stands for; None where all were as likely to be drawn.
    """

    truth: IntArray
    C: IntArray
    row: IntArray
    rater: IntArray
    label: IntArray
    answers: dict[str, IntArray]
    weight: FloatArray | None = None

    def of_system(self, system: str) -> GoldItems:
        """Return the rows that the system answered."""
        answer = self.answers[system]
        answered = answer >= 0
        weight = None if self.weight is None else self.weight[answered]
        return GoldItems(self.C[answered], answer[answered], self.truth[answered], int((~answered).sum()), weight)


@dataclass(frozen=True)
class Influence:
    """How far each gold row moves an audited accuracy about n items.

    - raw: by what was right in the row.
    - residual: by what remains of that after the model's score.
    - used: the rows that the accuracy rests on.
    - degrees: degrees of freedom of its Student's t.
    """

    raw: FloatArray
    residual: FloatArray
    used: NDArray[np.bool_]
    n: int
    degrees: float


def gold_rows(
    ratings: pl.DataFrame, gold: pl.DataFrame, *, systems: Sequence[str], raters: Sequence[str], labels: Sequence[str]
) -> GoldRows:
    """Return the gold items with the labels that the systems and the human raters gave them."""
    names = pl.Series(list(labels), dtype=pl.String)
    ratings = ratings.with_columns(AS_TEXT)
    rows = written_out(gold.with_columns(AS_TEXT), ratings).rename({"label": "truth"})
    rows = rows.sort("item").with_row_index("row")
    rated = rows.select("row", "item").join(ratings.select("item", "rater", "label"), on="item")
    rated = rated.sort("row", "rater")
    human = rated.filter(pl.col("rater").is_in(list(raters)))
    row, label = human["row"].to_numpy().astype(np.int64), codes(human["label"], names)
    k, g = len(labels), rows.height
    answers = {}
    for system in systems:
        own = rated.filter(pl.col("rater") == system)
        answers[system] = np.full(g, -1, np.int64)
        answers[system][own["row"].to_numpy()] = codes(own["label"], names)
    return GoldRows(
        truth=codes(rows["truth"], names),
        C=np.bincount(row * k + label, minlength=g * k).reshape(g, k).astype(np.int64),
        row=row,
        rater=codes(human["rater"], pl.Series(list(raters), dtype=pl.String)),
        label=label,
        answers=answers,
        weight=weights_of(rows),
    )


def system_influence(patterns: SystemPatterns, fitted: SystemFit, rows: GoldRows, system: str) -> Influence:
    """Return the influence on the prediction-powered accuracy of a system with two or more gold items."""
    gold = rows.of_system(system)
    f, f_mean = scores(patterns, fitted, gold)
    score = Score(gold.correct, f, f_mean, patterns.count(patterns.answered), gold.weight)
    return influence(rows.answers[system] >= 0, score)


def influence(used: NDArray[np.bool_], score: Score) -> Influence:
    """Return the influence on the prediction-powered mean of Y, with values for the rows that are used."""
    estimate, m = prediction_powered(score), len(score.Y)
    raw, residual = np.zeros(len(used)), np.zeros(len(used))
    w = scaled(score.weight, m)
    raw[used] = w * (score.Y - (w * score.Y).mean()) / m
    lam = estimate.slope * score.n / (score.n + m)
    residual[used] = raw[used] - lam * w * (score.f - (w * score.f).mean()) / m
    return Influence(raw, residual, used, score.n, estimate.degrees(m))


def difference_error(difference: float, a: Influence, b: Influence) -> tuple[float, float]:
    """Return the standard error of the difference between two audited accuracies, and the degrees of freedom of its t.

    The rows are a random sample of the items. Two more rows are added, one where only A is right and one where only B
    is, because rows on which both are right, or both wrong, prove nothing.
    """
    m, n = int((a.used | b.used).sum()), max(a.n, b.n)
    residual = float(((a.residual - b.residual) ** 2).sum())
    raw = float(((a.raw - b.raw) ** 2).sum())
    variance = residual + m / n * (raw - residual) + 2 / (m * (m + 2)) + 2 * difference**2 / (m + 2) ** 2
    return float(np.sqrt(max(variance, 0.0))), min(a.degrees, b.degrees)

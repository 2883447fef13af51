"""How reliable a judge is that is asked several times: flip rate, split of the variance, effective committee size.

A judge is a rater or a version of a system. Its repeats are its several answers to one item: epochs, seeds, prompts.

Labels have no distance, so the variance is that of their indicators, summed over the labels: half the probability that
two answers differ (R. J. Light & B. H. Margolin 1971, J. Am. Stat. Assoc. 66, 534-544). Two answers differ with the
probability W if one judge gave both to one item, B if two judges did, and T if two judges gave them to two items. So
W / T is the part of the repeats, (B - W) / T that of the judges, and (T - B) / T that of the items. Of a single judge T
is that of two answers to two items. Pairs of one judge do not count in T of several: they lack what judges differ in.

On another scale W, B and T are mean distances of two answers instead: the metric of Krippendorff's alpha. On an
interval scale that is the squared difference, so the parts are those of the variance.
"""

from dataclasses import dataclass, fields

import numpy as np
import polars as pl

from stats.accuracy.gold.gold_weights import check_inclusion
from stats.accuracy.rates.prediction_powered_mean import wilson
from stats.agreement.repeats.repeat_counts import JudgeAnswers, answered_counts
from stats.agreement.weights import LabelSetting, label_setting, scale_weights
from stats.arrays import FloatArray, IntArray
from stats.ratings import INCLUSION
from stats.special_functions import stdtrit

LEAST_ITEMS = 2
ALL_JUDGES = "all judges"
SCHEMA: dict[str, pl.DataType | type[pl.DataType]] = {
    "judge": pl.String,
    "n_items": pl.Int64,
    "n_answers": pl.Int64,
    "flip_rate": pl.Float64,
    "flip_low": pl.Float64,
    "flip_high": pl.Float64,
    "reliability": pl.Float64,
    "reliability_low": pl.Float64,
    "reliability_high": pl.Float64,
    "item_share": pl.Float64,
    "judge_share": pl.Float64,
    "repeat_share": pl.Float64,
    "committee": pl.Float64,
    "error_correlation": pl.Float64,
    "effective_committee": pl.Float64,
    "effective_low": pl.Float64,
    "effective_high": pl.Float64,
    "n_gold": pl.Int64,
    "reason": pl.String,
    "detail": pl.String,
}
NO_COMMON_ITEM = "No item has answers of two judges, so the parts of items and of judges are not known apart."
NO_REPEATS = "No item has two answers of this judge, so it is not known how often it changes its mind."
Row = dict[str, object]
Truth = dict[str, tuple[str, float]]  # item -> right label, and how many items it stands for


def repeat_reliability(
    answers: pl.DataFrame,
    *,
    labels: list[str],
    scale: str = "nominal",
    gold: pl.DataFrame | None = None,
    confidence: float = 0.95,
) -> pl.DataFrame:
    """Return one row per judge, and one for all of them if there are several.

    `answers` has item, judge, label, one row per answer. `gold` has item, label: right answers. With a column
    inclusion_probability each gold item counts for as many items as it stands for.

    - flip_rate: probability that two answers of the judge to one item differ, each item counting once.
    - reliability: 1 - W / T, the part of the variance that is not repeats. It and the shares go by the scale.
    - item_share, judge_share, repeat_share: the split of the variance; judge_share is null for a single judge, and it
      and item_share where no item has answers of two judges.
    - committee, error_correlation, effective_committee: mean answers per item, the correlation rho of the errors of two
      answers to an item, and m / (1 + (m - 1) rho): how many independent answers they are worth. Only gold tells.

    Intervals of flip rates are Wilson's for as many items as the rate is worth, those of the others from the jackknife
    over items. What answers are worth has none where the gold items are too few or too alike: without one of them it
    would be unknown, or without any of them the same.
    With no item that has two answers of a judge, its figures are null (`too_few_items`).
    Raises StatsError if an inclusion probability is not above 0 and up to 1, and for labels that are not numbers on an
    interval or ratio scale.

    >>> frame = pl.DataFrame({"item": list("112233"), "judge": "gpt", "label": list("AABBAB")})
    >>> result = repeat_reliability(frame, labels=["A", "B"])
    >>> result.select("n_items", pl.col("flip_rate").round(3)).row(0)
    (3, 0.333)
    """
    judges = answered_counts(answers, labels)
    truth = None if gold is None else _truth(gold)
    setting = label_setting(labels, scale, None)
    groups = [(judge.name, [judge]) for judge in judges] + ([(ALL_JUDGES, judges)] if len(judges) > 1 else [])
    rows = [
        _row(name, members, setting, confidence) | _committee(members, labels, truth, confidence)
        for name, members in groups
    ]
    return pl.DataFrame(rows, schema=SCHEMA)


def _truth(gold: pl.DataFrame) -> Truth:
    check_inclusion(gold)
    weight = 1 / pl.col(INCLUSION).cast(pl.Float64) if INCLUSION in gold.columns else pl.lit(1.0)
    rows = gold.select(pl.col("item", "label").cast(pl.String), weight=weight)
    return {item: (label, weight) for item, label, weight in rows.iter_rows()}


@dataclass(frozen=True)
class _AnswerSums:
    """What the parts of the variance need of each item (n, ...), or its sum over items: it adds up.

    - n: 1. weight (j,): of each judge, 0 without an answer, adding up to 1. shares (j, k): of each label in its
      answers, times the weight.
    - of_item, of_both: distance of two answers to the item, by any judges and by one, by their weights; squares: the
      sum of the squared weights.
    - W, B: mean distance of two answers to the item by one judge and by two, 0 where undefined; n_repeated, n_common:
      1 where it is defined.
    """

    n: FloatArray
    weight: FloatArray
    shares: FloatArray
    of_item: FloatArray
    of_both: FloatArray
    squares: FloatArray
    W: FloatArray
    n_repeated: FloatArray
    B: FloatArray
    n_common: FloatArray

    def total(self) -> "_AnswerSums":
        """Return the sum over the items."""
        return _AnswerSums(*(getattr(self, field.name).sum(axis=0) for field in fields(self)))

    def without_each(self) -> "_AnswerSums":
        """Return the sums over all items but one, for each of them."""
        whole = self.total()
        return _AnswerSums(*(getattr(whole, field.name) - getattr(self, field.name) for field in fields(self)))


def _row(name: str, judges: list[JudgeAnswers], setting: LabelSetting, confidence: float) -> Row:
    D = 1 - scale_weights(np.array([sum(judge.C.sum(axis=0) for judge in judges)]), setting)[0]
    sums, of_items = _sums_of_items(judges, D)
    repeated = ~np.isnan(of_items)
    row: Row = {
        "judge": name,
        "n_items": int(repeated.sum()),
        "n_answers": int(sum(judge.C.sum() for judge in judges)),
    }
    if repeated.sum() < LEAST_ITEMS:
        return row | {"reason": "too_few_items", "detail": NO_REPEATS}
    flips = of_items[repeated]
    p, spread = float(flips.mean()), float(flips.var(ddof=1)) / len(flips)
    low, high = wilson(p, max(len(flips), p * (1 - p) / spread if spread > 0 else 0.0), confidence)
    row |= {"flip_rate": p, "flip_low": min(low, p), "flip_high": max(high, p)}
    item, judge, repeat = map(float, _variance_shares(sums.total(), D))
    if np.isnan(repeat):
        why = "All answers are the same, so there is no variance to split."
        return row | {"reason": "zero_denominator", "detail": why}
    limits = _jackknife(1 - _variance_shares(sums.without_each(), D)[2], 1 - repeat, confidence)
    row |= {"reliability": 1 - repeat, "reliability_low": limits[0], "reliability_high": limits[1]}
    row["repeat_share"] = repeat
    if len(judges) == 1:
        return row | {"item_share": item}
    return row | ({"detail": NO_COMMON_ITEM} if np.isnan(judge) else {"item_share": item, "judge_share": judge})


def _items(judges: list[JudgeAnswers]) -> list[str]:
    return sorted({item for judge in judges for item in judge.items})


def _sums_of_items(judges: list[JudgeAnswers], D: FloatArray) -> tuple[_AnswerSums, FloatArray]:
    """Return what the parts need of each item, and the probability that two answers of a judge to it differ (n,), NaN
    where undefined. D (k, k) is the distance of labels; the ranks of an ordinal scale are those among all answers."""
    items, k = _items(judges), len(D)
    place = {item: i for i, item in enumerate(items)}
    shares = np.full((len(judges), len(items), k), np.nan)
    within, flips = np.full((2, len(judges), len(items)), np.nan)
    for j, judge in enumerate(judges):
        rows = [place[item] for item in judge.items]
        m = judge.C.sum(axis=1)
        shares[j, rows] = judge.C / m[:, None]
        pairs = m * (m - 1)
        undefined = np.full(len(m), np.nan)
        within[j, rows] = np.divide(_distance(judge.C, D), pairs, out=undefined.copy(), where=pairs > 0)
        flips[j, rows] = np.divide(m**2 - (judge.C**2).sum(axis=1), pairs, out=undefined, where=pairs > 0)
    has_answers = ~np.isnan(shares[:, :, 0])
    n_judges = has_answers.sum(axis=0)
    filled = np.where(has_answers[:, :, None], shares, 0.0)
    pairs = n_judges * (n_judges - 1)
    between = _distance(filled.sum(axis=0), D) - _distance(filled, D).sum(axis=0)
    B = np.divide(between, pairs, out=np.full(len(items), np.nan), where=pairs > 0)
    weight = (has_answers / n_judges).T
    Q, W = filled.swapaxes(0, 1) * weight[:, :, None], _mean_of_judges(within)
    two = (_distance(Q.sum(axis=1), D), _distance(Q, D).sum(axis=1), (weight**2).sum(axis=1))
    means = (np.nan_to_num(W), 1.0 - np.isnan(W), np.nan_to_num(B), 1.0 - np.isnan(B))
    return _AnswerSums(np.ones(len(items)), weight, Q, *two, *means), _mean_of_judges(flips)


def _distance(shares: FloatArray, D: FloatArray) -> FloatArray:
    """Return the sum over pairs of labels of their shares times their distance. shares (..., k) -> (...)."""
    total: FloatArray = ((shares @ D) * shares).sum(axis=-1)
    return total


def _mean_of_judges(of_items: FloatArray) -> FloatArray:
    """Return the mean of each item (n,) over the judges for whom it is defined, NaN without any. of_items (j, n)."""
    counted = (~np.isnan(of_items)).sum(axis=0)
    return np.where(counted > 0, np.nansum(of_items, axis=0) / np.maximum(counted, 1), np.nan)


def _variance_shares(sums: _AnswerSums, D: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return the parts of item, judge and repeat; they add up to 1 and none is below 0.

    NaN without any variance. Of a single judge the part of the judges is 0; where no item has answers of two judges,
    it and the part of the items are NaN.
    """
    T = _of_two_items(sums, D)
    nothing = np.full_like(T, np.nan)
    repeat = np.minimum(
        np.divide(sums.W, T * sums.n_repeated, out=nothing.copy(), where=(T > 1e-12) & (sums.n_repeated > 0)), 1
    )
    if sums.weight.shape[-1] == 1:
        return 1 - repeat, repeat * 0, repeat
    apart = np.divide(sums.B, T * sums.n_common, out=nothing, where=(T > 1e-12) & (sums.n_common > 0))
    judge = np.clip(apart - repeat, 0, 1 - repeat)
    return 1 - repeat - judge, judge, repeat


def _of_two_items(sums: _AnswerSums, D: FloatArray) -> FloatArray:
    """Return T: the mean distance of two answers to two items, of several judges by two of them. 0 without such pairs.

    From the sum over all pairs of answers it takes those to one item and those of one judge, and adds those of both.
    """
    apart = _distance(sums.shares.sum(axis=-2), D) - sums.of_item
    pairs = sums.n * (sums.n - 1)
    if sums.weight.shape[-1] > 1:
        apart = apart + sums.of_both - _distance(sums.shares, D).sum(axis=-1)
        pairs = pairs + sums.squares - (sums.weight**2).sum(axis=-1)
    return np.divide(apart, pairs, out=np.zeros_like(apart), where=pairs > 1e-9)


def _jackknife(left: FloatArray, whole: float, confidence: float) -> tuple[float | None, float | None]:
    """Return Student's t interval in [0, 1] from the figures without each item (n,); None where one is undefined."""
    n = len(left)
    if n < 3 or np.isnan(left).any():
        return None, None
    se = float(np.sqrt((n - 1) / n * ((left - left.mean()) ** 2).sum()))
    half = se * float(stdtrit(n - 1, (1 + confidence) / 2))
    return max(0.0, whole - half), min(1.0, whole + half)


def _committee(judges: list[JudgeAnswers], labels: list[str], truth: Truth | None, confidence: float) -> Row:
    """Return how many independent answers the answers to an item are worth; null without gold."""
    items = _items(judges)
    place, code = {item: i for i, item in enumerate(items)}, {label: i for i, label in enumerate(labels)}
    C = np.zeros((len(items), len(labels)))
    for judge in judges:
        C[[place[item] for item in judge.items]] += judge.C
    m = C.sum(axis=1)
    row: Row = {"committee": float(m.mean()), "n_gold": 0}
    right_of = [code.get(truth[item][0], -1) if truth and item in truth else -1 for item in items]
    gold_places = [i for i, label in enumerate(right_of) if label >= 0 and m[i] > 1]
    if truth is None or len(gold_places) < LEAST_ITEMS:
        return row
    right = C[gold_places, [right_of[i] for i in gold_places]]
    weight = np.array([truth[items[i]][1] for i in gold_places])
    wrong, size = m[gold_places] - right, m[gold_places]
    mean = float(np.average(size, weights=weight))

    def correlation(kept: IntArray) -> float:
        w, n = wrong[kept], size[kept]
        p = float(np.average(w / n, weights=weight[kept]))
        both_wrong = float(np.average(w * (w - 1) / (n * (n - 1)), weights=weight[kept]))
        return np.nan if p * (1 - p) < 1e-12 else (both_wrong - p**2) / (p * (1 - p))

    everything = np.arange(len(gold_places))
    rho = correlation(everything)
    row["n_gold"] = len(gold_places)
    if np.isnan(rho):
        return row
    left = np.array([correlation(np.delete(everything, i)) for i in everything])
    rho = max(rho, 0.0)  # it is below 0 by chance; but the jackknife needs the figures that are not cut
    low, high = _jackknife(left, rho, confidence)
    row |= {"error_correlation": rho, "effective_committee": mean / (1 + (mean - 1) * rho)}
    if low is not None and high is not None and high - low > 1e-9:
        row |= {"effective_low": mean / (1 + (mean - 1) * high), "effective_high": mean / (1 + (mean - 1) * low)}
    return row

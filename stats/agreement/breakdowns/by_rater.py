"""Compute how far each rater agrees with the others, and the agreement without each rater."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl

from stats.agreement.coefficients.coefficient import Coefficient, ratio
from stats.agreement.count_tables import CountTables, tables_of, without_raters
from stats.agreement.inference.estimates import compute_point_estimates
from stats.agreement.inference.reason_sentences import detail_of
from stats.agreement.overall import chosen_coefficients
from stats.agreement.weights import LabelSetting, Weights, label_setting
from stats.arrays import FloatArray, IntArray
from stats.counts import distinct_raters, long_patterns
from stats.patterns import RatingPatterns
from stats.reasons import REASONS
from stats.unnamed import name_nobody

SCHEMA = pl.Schema(
    {
        "rater": pl.String(),
        "n_ratings": pl.Int64(),
        "n_items": pl.Int64(),
        "agreement_with_others": pl.Float64(),
        "coefficient": pl.String(),
        "estimate": pl.Float64(),
        "without": pl.Float64(),
        "difference": pl.Float64(),
        "reason": pl.String(),
        "detail": pl.String(),
    }
)
MAX_RATERS_LEFT_OUT = 100  # where the coefficient depends on who gave which label
MAX_CELLS = 2_000_000  # numbers of items by rater left out and count row in memory at once


def by_rater(
    ratings: Any,
    *,
    labels: Sequence[str],
    scale: str = "nominal",
    weights: Weights = None,
    coefficient: str = "krippendorff_alpha",
) -> pl.DataFrame:
    """Compute who agrees with the others and who lowers the agreement: one row per rater, sorted by name.

    Votes without names (`vote #1`) have no rows.

    - n_ratings; n_items: those of the rater's items that another rater rated too;
    - agreement_with_others: share of the pairs (rater, other rater of the same item) that agree, in 0..1, with
      `weights` their mean weight (of both orders of the pair);
    - estimate: the `coefficient` of all raters; without: the same of all other raters, as `agreement` returns it for
      their ratings; difference = without - estimate, above 0 if the others agree more without the rater. The
      differences are no test: with many raters some are large by chance.

    Where the coefficient depends on who gave which label (Conger, Light, kappa_S, those of two raters, the ICCs),
    `without` is computed for at most 100 raters; with more it is null, `not_applicable`. There is no such limit for
    the other coefficients. An undefined figure is null, with the first reason in `reason` and sentences in `detail`:
    `too_few_raters`, `too_few_items` (no common item, or too few without the rater), or a reason of the coefficient.
    The other arguments and errors are those of `agreement`.

    >>> rows = [(i, r, l) for i, all in enumerate(["AAB", "AAB", "BBB", "BBA"]) for r, l in zip("xyz", all)]
    >>> ratings = pl.DataFrame(rows, schema=["item", "rater", "label"], orient="row")
    >>> by_rater(ratings, labels=["A", "B"]).select("rater", "agreement_with_others", "without").rows()
    [('x', 0.625, -0.4), ('y', 0.625, -0.4), ('z', 0.25, 1.0)]
    """
    (chosen,), setting = chosen_coefficients([coefficient]), label_setting(labels, scale, weights)
    raters = distinct_raters(ratings)
    patterns = long_patterns(ratings, labels=labels, raters=raters)
    tables = tables_of(patterns)
    if not raters or name_nobody(raters):
        return pl.DataFrame(schema=SCHEMA)
    n_ratings, n_items, agreeing = _with_others(tables, setting)
    whole = compute_point_estimates(chosen, tables, setting)
    without, codes = _without_each(chosen, patterns, tables, setting)
    why = detail_of(chosen, whole, tables, setting) if whole.reason[0] is not None else None
    reasons = [_reason(tables, n_items[g], chosen, whole.reason[0], why, codes[g]) for g in range(len(raters))]
    columns = {
        "rater": raters,
        "n_ratings": n_ratings,
        "n_items": n_items,
        "agreement_with_others": agreeing,
        "coefficient": np.full(len(raters), coefficient),
        "estimate": np.full(len(raters), whole.estimate[0]),
        "without": without,
        "difference": without - whole.estimate[0],
        "reason": pl.Series([code for code, _ in reasons], dtype=pl.String),
        "detail": pl.Series([detail for _, detail in reasons], dtype=pl.String),
    }
    return pl.DataFrame(columns).cast(SCHEMA).with_columns(pl.col(pl.Float64).fill_nan(None))


def _with_others(tables: CountTables, setting: LabelSetting) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return (r,) ratings, (r,) items shared with another rater, and (r,) share of the pairs with others that agree."""
    row, items = tables.row_of[tables.pattern], tables.pattern_items[0, tables.pattern]
    w = (setting.kappa_w + setting.kappa_w.T) / 2
    near = (tables.C @ w)[row, tables.label] - 1

    def summed(of_rating: FloatArray) -> FloatArray:
        return np.bincount(tables.rater, weights=items * of_rating, minlength=tables.n_raters).astype(float)

    others = tables.m[row] - 1
    shared = tables.pairable[row]
    return summed(np.ones_like(others)), summed(shared), ratio(summed(near), summed(others))


def _without_each(
    coefficient: Coefficient, patterns: RatingPatterns, tables: CountTables, setting: LabelSetting
) -> tuple[FloatArray, npt.NDArray[np.object_]]:
    """Return the (r,) estimates without each rater, NaN where undefined, and the (r,) reasons."""
    if coefficient.by_rater and tables.n_raters > MAX_RATERS_LEFT_OUT:
        return np.full(tables.n_raters, np.nan), np.full(tables.n_raters, "not_applicable", dtype=object)
    blocks = _patterns_without_each(patterns) if coefficient.by_rater else _counts_without_each(tables)
    points = [compute_point_estimates(coefficient, block, setting) for block in blocks]
    return np.concatenate([point.estimate for point in points]), np.concatenate([point.reason for point in points])


def _counts_without_each(tables: CountTables) -> Iterator[CountTables]:
    """Yield the count rows without each rater, one set per rater, in blocks of raters.

    Leaving out a rating moves its items from their row to the row with one rating less of that label.
    """
    Q, r = len(tables.C), tables.n_raters
    row, label = np.nonzero(tables.C)
    less = tables.C[row]
    less[np.arange(len(row)), label] -= 1
    place = np.full(tables.C.shape, -1)
    place[row, label] = Q + np.arange(len(row))
    C = np.concatenate([tables.C, less])
    rated = C.sum(axis=1) > 0
    by_count = replace(without_raters(tables), C=C[rated], row_of=np.arange(rated.sum()), n_raters=r - 1)
    order = np.argsort(tables.rater, kind="stable")
    first = np.searchsorted(tables.rater[order], np.arange(r + 1))
    step = max(MAX_CELLS // len(C), 1)
    for start in range(0, r, step):
        stop = min(start + step, r)
        entry = order[first[start] : first[stop]]
        rater, of_row = tables.rater[entry] - start, tables.row_of[tables.pattern[entry]]
        n_items, size = tables.pattern_items[0, tables.pattern[entry]], (stop - start) * len(C)
        leaving = np.bincount(rater * len(C) + of_row, weights=n_items, minlength=size)
        arriving = np.bincount(rater * len(C) + place[of_row, tables.label[entry]], weights=n_items, minlength=size)
        items = np.concatenate([tables.items[0], np.zeros(len(less))]) + (arriving - leaving).reshape(-1, len(C))
        yield replace(by_count, items=items[:, rated], pattern_items=items[:, rated])


def _patterns_without_each(patterns: RatingPatterns) -> Iterator[CountTables]:
    """Yield the tables without each rater, one rater at a time."""
    for rater in range(patterns.n_raters):
        kept = patterns.rater != rater
        remaining, pattern = np.unique(patterns.pattern[kept], return_inverse=True)
        codes: IntArray = patterns.rater[kept] - (patterns.rater[kept] > rater)
        yield tables_of(
            RatingPatterns(
                patterns.n_items[remaining],
                pattern,
                codes,
                patterns.label[kept],
                patterns.n_raters - 1,
                patterns.n_labels,
            )
        )


def _reason(
    tables: CountTables, n_items: float, coefficient: Coefficient, of_all: str | None, why: str | None, code: str | None
) -> tuple[str | None, str | None]:
    """Return the first reason why a figure of this rater is null, and the sentences of all reasons."""
    reasons: list[tuple[str, str]] = []
    r, name = tables.n_raters, coefficient.name
    if r < 2:
        return "too_few_raters", f"Agreement needs at least 2 raters, found {r}."
    if n_items == 0:
        reasons.append(("too_few_items", "No other rater rated these items."))
    if of_all is not None:
        reasons.append((of_all, f"{name} is undefined: {why}"))
    if code is not None and coefficient.by_rater and r > MAX_RATERS_LEFT_OUT:
        reasons.append(
            (code, f"{name} is computed without each rater for at most {MAX_RATERS_LEFT_OUT} raters, found {r}.")
        )
    elif code is not None:
        reasons.append((code, f"{name} without this rater is undefined: {REASONS[code]}"))
    return (reasons[0][0], " ".join(sentence for _, sentence in reasons)) if reasons else (None, None)

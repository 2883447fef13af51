"""Agreement on each label: that label against all others."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import polars as pl

from stats.agreement.details import detail_of
from stats.agreement.errors import checked_errors
from stats.agreement.overall import SCHEMA as OVERALL
from stats.agreement.overall import chosen_coefficients, weights_name
from stats.agreement.results import figures_of, results_of
from stats.agreement.tables import Tables, tables_of
from stats.agreement.weights import setting_of
from stats.counts import distinct_raters, long_patterns
from stats.intervals import FloatArray
from stats.patterns import IntArray, digit_words

SCHEMA = pl.Schema({"label": pl.String(), **OVERALL})


def by_label(
    ratings: Any,
    *,
    labels: Sequence[str],
    coefficients: Sequence[str] | None = ("fleiss_kappa",),
    confidence: float = 0.95,
    interval_method: str = "t",
    replicates: int = 1000,
    seed: int = 0,
    population: int | None = None,
) -> pl.DataFrame:
    """How far the raters agree on each label against the rest: one row per label and coefficient.

    Each row is what `agreement` makes of the same ratings with two labels, this one and "any other", on a
    nominal scale without weights. So a label that nobody used has no kappa (`zero_denominator`). Two declared
    labels are each other's rest: both have the figures of `agreement`; so has a single one. Of complete
    ratings Fleiss' kappa is the mean of the labels' kappas with the weights p_j (1 - p_j): Fleiss (1971),
    Psychological Bulletin 76, 378-382.

    Arguments and errors as in `agreement`. Columns: label, then those of `agreement`; rows in the order of
    the labels, then of `coefficients` (None: all). The ratings are counted once, whatever the number of
    labels.

    >>> rows = [(i, r, l) for i, pair in enumerate(["AA", "AB", "BC", "CC"]) for r, l in zip("xy", pair)]
    >>> ratings = pl.DataFrame(rows, schema=["item", "rater", "label"], orient="row")
    >>> by_label(ratings, labels=["A", "B", "C"]).select("label", pl.col("estimate").round(3)).rows()
    [('A', 0.467), ('B', -0.333), ('C', 0.467)]
    """
    chosen, setting = chosen_coefficients(coefficients), setting_of(["label", "rest"][: len(labels)], "nominal", None)
    errors = checked_errors(confidence, interval_method, replicates, seed, population)
    tables = tables_of(long_patterns(ratings, labels=labels, raters=distinct_raters(ratings)))
    by_rater = any(coefficient.by_rater for coefficient in chosen)
    rows: list[dict[str, Any]] = []
    for position, label in enumerate(labels):
        if len(labels) <= 2 and rows:
            rows += [row | {"label": label} for row in rows]
            continue
        one = tables if len(labels) <= 2 else _against_the_rest(tables, position, by_rater=by_rater)
        for coefficient in chosen:
            results = results_of(coefficient, one, setting, errors)
            row = {"label": label, "name": coefficient.name, **figures_of(results)}
            row |= {"scale": setting.scale, "weights": weights_name(coefficient, setting)}
            row |= {"interval_method": results.method, "confidence": confidence, **_sizes(one)}
            rows.append(row | {"detail": detail_of(coefficient, results, one, setting)})
    return pl.DataFrame(rows, schema=SCHEMA)


def _sizes(tables: Tables) -> dict[str, int]:
    sizes = {"n_items": tables.n[0], "n_raters": tables.n_raters, "n_ratings": tables.items[0] @ tables.m}
    return {name: int(size) for name, size in (sizes | {"n_labels": tables.n_labels}).items()}


def _against_the_rest(tables: Tables, label: int, *, by_rater: bool) -> Tables:
    """The same ratings with the labels 0 = this one, 1 = any other; without `by_rater` rater identity is forgotten.

    Rows and patterns that become equal are one, in the order in which `stats.counts` would have found them, so
    that a seed draws the same items as from the recoded ratings.
    """
    rest = tables.m - tables.C[:, label]
    base = tables.m.max(initial=0) + 1
    _, first, row_of = np.unique(tables.C[:, label] + base * rest, return_index=True, return_inverse=True)
    items: FloatArray = np.bincount(row_of, weights=tables.items[0], minlength=len(first)).astype(float)
    none = np.empty(0, np.int64)
    one = Tables(
        C=np.column_stack([tables.C[first, label], rest[first]]),
        items=items[None, :],
        row_of=np.arange(len(first)),
        pattern_items=items[None, :],
        pattern=none,
        rater=none,
        label=none,
        n_raters=tables.n_raters,
    )
    return (
        _with_patterns(one, tables, row_of[tables.row_of], (tables.label != label).astype(np.int64))
        if by_rater
        else one
    )


def _with_patterns(one: Tables, tables: Tables, row_of: IntArray, label: IntArray) -> Tables:
    """`one` with the patterns of `tables`, whose rows are now row_of (P,) and whose labels are now label (E,)."""
    kind, n_kinds = _kinds(tables, label)
    example = np.full(n_kinds, -1)
    example[kind] = np.arange(len(kind))
    n_entries = np.bincount(tables.pattern, minlength=len(kind))
    start = np.cumsum(n_entries) - n_entries
    n = n_entries[example]
    pattern = np.repeat(np.arange(n_kinds), n)
    entry = np.arange(len(pattern)) + np.repeat(start[example] - (np.cumsum(n) - n), n)
    items: FloatArray = np.bincount(kind, weights=tables.pattern_items[0], minlength=n_kinds).astype(float)
    return Tables(
        C=one.C,
        items=one.items,
        row_of=row_of[example],
        pattern_items=items[None, :],
        pattern=pattern,
        rater=tables.rater[entry],
        label=label[entry],
        n_raters=tables.n_raters,
    )


def _kinds(tables: Tables, label: IntArray) -> tuple[IntArray, int]:
    """(P,) the number of each pattern among the different ones, in the order of `long_patterns`; and how many."""
    n_patterns = tables.pattern_items.shape[1]
    if len(digit_words(3, tables.n_raters)) == 1:
        digits = (label + 1) * 3.0**tables.rater
        keys = np.bincount(tables.pattern, weights=digits, minlength=n_patterns)
        values, kind = np.unique(keys, return_inverse=True)
        return kind, len(values)
    entries = pl.DataFrame({"pattern": tables.pattern, "code": 2 * tables.rater + label})
    lists = entries.group_by("pattern", maintain_order=True).agg("code")
    found = lists.select(pl.col("code").unique().sort().alias("code")).with_row_index("kind")
    kinds = lists.join(found, on="code", maintain_order="left")["kind"]
    return kinds.to_numpy().astype(np.int64), found.height

"""Compute the agreement on each label: that label against all others."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import polars as pl

from stats.agreement.count_tables import CountTables, tables_of
from stats.agreement.inference.estimates import compute_estimates, figures_of
from stats.agreement.inference.interval_methods import check_error_options
from stats.agreement.inference.reason_sentences import detail_of
from stats.agreement.overall import SCHEMA as OVERALL
from stats.agreement.overall import chosen_coefficients, weights_name
from stats.agreement.weights import label_setting
from stats.arrays import BoolArray, FloatArray, IntArray
from stats.counts import distinct_raters, long_patterns
from stats.defaults import REPLICATES
from stats.distinct_keys import distinct_keys
from stats.errors import StatsError
from stats.patterns import NO_CODES, digit_words

SCHEMA = pl.Schema({"label": pl.String(), **OVERALL})


def by_label(
    ratings: Any,
    *,
    labels: Sequence[str],
    coefficients: Sequence[str] | None = ("fleiss_kappa",),
    confidence: float = 0.95,
    interval_method: str = "t",
    replicates: int = REPLICATES,
    seed: int = 0,
    population: int | None = None,
    groups: Mapping[str, Collection[str]] | None = None,
) -> pl.DataFrame:
    """Compute how far the raters agree on each label against the rest: one row per label and coefficient.

    Each row is the result of `agreement` for the same ratings with two labels, this one and "any other", on a nominal
    scale without weights. So a label that nobody used has no kappa (`zero_denominator`). With one or two declared
    labels each row has the figures of `agreement` itself. Without missing ratings Fleiss' kappa is the mean of the
    labels' kappas with the weights p_j (1 - p_j): Fleiss (1971), Psychological Bulletin 76, 378-382.

    With `groups` there is a row for each of them instead: name -> the labels that count as it, against the others. So a
    label may count as several: the members of a set, the subtrees of a taxonomy.

    The arguments and errors are those of `agreement`; StatsError too for a label in `groups` that is not declared. The
    columns are label and those of `agreement`. Rows have the order of the labels or groups, then of `coefficients`
    (None: all).

    >>> rows = [(i, r, l) for i, pair in enumerate(["AA", "AB", "BC", "CC"]) for r, l in zip("xy", pair)]
    >>> ratings = pl.DataFrame(rows, schema=["item", "rater", "label"], orient="row")
    >>> by_label(ratings, labels=["A", "B", "C"]).select("label", pl.col("estimate").round(3)).rows()
    [('A', 0.467), ('B', -0.333), ('C', 0.467)]
    """
    chosen, setting = (
        chosen_coefficients(coefficients),
        label_setting(["label", "rest"][: 2 if groups else len(labels)], "nominal", None),
    )
    errors = check_error_options(confidence, interval_method, replicates, seed, population)
    tables = tables_of(long_patterns(ratings, labels=labels, raters=distinct_raters(ratings)))
    by_rater = any(coefficient.by_rater for coefficient in chosen)
    rows: list[dict[str, Any]] = []
    for label, inside in _inside(labels, groups).items():
        if groups is None and len(labels) <= 2 and rows:
            rows += [row | {"label": label} for row in rows]
            continue
        whole = groups is None and len(labels) <= 2
        binary = tables if whole else _against_the_rest(tables, inside, by_rater=by_rater)
        for coefficient in chosen:
            results = compute_estimates(coefficient, binary, setting, errors)
            row = {"label": label, "name": coefficient.name, **figures_of(results)}
            row |= {"scale": setting.scale, "weights": weights_name(coefficient, setting)}
            row |= {"interval_method": results.method, "confidence": confidence, **_sizes(binary)}
            rows.append(row | {"detail": detail_of(coefficient, results, binary, setting)})
    return pl.DataFrame(rows, schema=SCHEMA)


def _sizes(tables: CountTables) -> dict[str, int]:
    sizes = {"n_items": tables.n[0], "n_raters": tables.n_raters, "n_ratings": tables.items[0] @ tables.m}
    return {name: int(size) for name, size in (sizes | {"n_labels": tables.n_labels}).items()}


def _inside(labels: Sequence[str], groups: Mapping[str, Collection[str]] | None) -> dict[str, BoolArray]:
    """Return for each name which of the labels (k,) count as it."""
    if groups is None:
        return dict(zip(labels, np.eye(len(labels), dtype=bool), strict=True))
    if unknown := sorted({label for group in groups.values() for label in group} - set(labels)):
        raise StatsError(f"A group holds the label {unknown[0]!r}, which is not declared. Declare it.")
    return {name: np.array([label in group for label in labels]) for name, group in groups.items()}


def _against_the_rest(tables: CountTables, inside: BoolArray, *, by_rater: bool) -> CountTables:
    """Recode the ratings to the labels 0 = one that is `inside` (k,), 1 = any other.

    Without `by_rater` rater identity is dropped.

    Rows and patterns that become equal are merged. They have the order in which `stats.counts` would return them, so
    that a seed draws the same items as from the recoded ratings.
    """
    chosen = tables.C[:, inside].sum(axis=1)
    rest = tables.m - chosen
    base = tables.m.max(initial=0) + 1
    _, first, row_of = distinct_keys((chosen + base * rest).astype(np.int64))
    items: FloatArray = np.bincount(row_of, weights=tables.items[0], minlength=len(first)).astype(float)
    binary = CountTables(
        C=np.column_stack([chosen[first], rest[first]]),
        items=items[None, :],
        row_of=np.arange(len(first)),
        pattern_items=items[None, :],
        pattern=NO_CODES,
        rater=NO_CODES,
        label=NO_CODES,
        n_raters=tables.n_raters,
    )
    if not by_rater:
        return binary
    return _with_patterns(binary, tables, row_of[tables.row_of], (~inside[tables.label]).astype(np.int64))


def _with_patterns(binary: CountTables, tables: CountTables, row_of: IntArray, label: IntArray) -> CountTables:
    """Add the patterns of `tables` to `binary`. row_of (P,) and label (E,) are their rows and labels after recoding."""
    kind, n_kinds = _distinct_patterns(tables, label)
    example = np.full(n_kinds, -1)
    example[kind] = np.arange(len(kind))
    n_entries = np.bincount(tables.pattern, minlength=len(kind))
    start = np.cumsum(n_entries) - n_entries
    n = n_entries[example]
    pattern = np.repeat(np.arange(n_kinds), n)
    entry = np.arange(len(pattern)) + np.repeat(start[example] - (np.cumsum(n) - n), n)
    items: FloatArray = np.bincount(kind, weights=tables.pattern_items[0], minlength=n_kinds).astype(float)
    return replace(
        binary,
        row_of=row_of[example],
        pattern_items=items[None, :],
        pattern=pattern,
        rater=tables.rater[entry],
        label=label[entry],
    )


def _distinct_patterns(tables: CountTables, label: IntArray) -> tuple[IntArray, int]:
    """Number the distinct patterns in the order of `long_patterns`. Return each pattern's number (P,) and how many."""
    n_patterns = tables.pattern_items.shape[1]
    if len(digit_words(3, tables.n_raters)) == 1:
        digits = (label + 1) * 3.0**tables.rater
        keys = np.bincount(tables.pattern, weights=digits, minlength=n_patterns)
        values, kind = np.unique(keys, return_inverse=True)
        return kind, len(values)
    entries = pl.DataFrame({"pattern": tables.pattern, "code": 2 * tables.rater + label})
    lists = entries.group_by("pattern", maintain_order=True).agg("code")
    distinct = lists.select(pl.col("code").unique().sort().alias("code")).with_row_index("kind")
    kinds = lists.join(distinct, on="code", maintain_order="left")["kind"]
    return kinds.to_numpy().astype(np.int64), distinct.height

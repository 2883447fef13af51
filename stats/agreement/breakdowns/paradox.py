"""Compute prevalence and bias, which lower kappa even where the raters agree on nearly everything."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import polars as pl

from stats.agreement.coefficients.conger_kappa import conger_kappa
from stats.agreement.count_tables import CountTables, tables_of
from stats.agreement.inference.reason_sentences import ONE_LABEL
from stats.agreement.weights import label_setting
from stats.arrays import FloatArray
from stats.counts import distinct_raters, long_patterns
from stats.share_in_percent import share_in_percent
from stats.unnamed import name_nobody

SCHEMA = pl.Schema(
    {
        "most_used_label": pl.String(),
        "most_used_share": pl.Float64(),
        "prevalence_index": pl.Float64(),
        "bias_index": pl.Float64(),
        "observed": pl.Float64(),
        "kappa": pl.Float64(),
        "pabak": pl.Float64(),
        "n_items": pl.Int64(),
        "n_raters": pl.Int64(),
        "reason": pl.String(),
        "note": pl.String(),
    }
)
# Feinstein & Cicchetti state no bounds. These are ours and only decide whether there is a note.
HIGH_OBSERVED = 0.8
HIGH_PREVALENCE = 0.5  # of two labels one has 3/4 of the ratings, of five one has 3/5
LOW_KAPPA = 0.6
EQUAL = 1e-12  # shares closer than this differ by rounding only


def paradox(ratings: Any, *, labels: Sequence[str]) -> pl.DataFrame:
    """Compute how unequal the labels are in frequency and the raters in habit: one row, to read beside kappa.

    `ratings` and `labels` are those of `agreement`. All figures come from the n_items items with two ratings or more.
    p_j is the mean over these items of the share of label j, as in Fleiss' kappa:

    - most_used_label, most_used_share: the label with the largest p_j (the first declared of equal ones);
    - prevalence_index = (k max p - 1) / (k - 1): 0 where all declared labels are equally frequent, 1 where one is used;
    - bias_index: total variation distance, in 0..1, between a rater's label shares and those of the other raters on
      the same items, averaged over raters by their ratings: 0 where all have the same habits. Raters who share few
      items differ by chance, which raises it;
    - observed: the observed agreement; kappa: Conger's, which is Cohen's for two raters;
    - pabak = (k observed - 1) / (k - 1): kappa at this observed agreement without prevalence and bias.

    With two raters and two labels and the table a b / c d these are |a - d| / n, |b - c| / n and the prevalence- and
    bias-adjusted kappa of Byrt, Bishop & Carlin (1993), J. Clin. Epidemiol. 46, 423-429, where
    kappa = (pabak - prevalence^2 + bias^2) / (1 - prevalence^2 + bias^2).

    `note` is null unless prevalence pulls kappa down: observed .8 or more, prevalence index .5 or more, kappa below .6
    or undefined, and below pabak. Feinstein & Cicchetti (1990), J. Clin. Epidemiol. 43, 543-549, the first paradox.
    Undefined figures are null with a code in `reason` and a sentence in `note`: all figures for fewer than two raters
    or items; prevalence_index, kappa and pabak for one declared label; bias_index and kappa for votes without names
    (`unnamed_raters`). Raises StatsError as `agreement` does.

    >>> pairs = ["nn"] * 80 + ["ny"] * 10 + ["yn"] * 5 + ["yy"] * 5
    >>> rows = [(str(i), rater, label) for i, pair in enumerate(pairs) for rater, label in zip("AB", pair)]
    >>> ratings = pl.DataFrame(rows, schema=["item", "rater", "label"], orient="row")
    >>> result = paradox(ratings, labels=["n", "y"])
    >>> result.select(pl.col("prevalence_index", "bias_index", "kappa", "pabak").round(2)).row(0)
    (0.75, 0.05, 0.32, 0.7)
    """
    raters = distinct_raters(ratings)
    tables = tables_of(long_patterns(ratings, labels=labels, raters=raters))
    row: dict[str, Any] = {"n_items": int(tables.n_pairable[0]), "n_raters": tables.n_raters}
    if row["n_raters"] < 2:
        row |= {"reason": "too_few_raters", "note": f"Agreement needs at least 2 raters, found {row['n_raters']}."}
    elif row["n_items"] < 2:
        needed = f"Needs at least 2 items with two ratings or more, found {row['n_items']}."
        row |= {"reason": "too_few_items", "note": needed}
    else:
        row |= _figures(tables, labels)
        if name_nobody(raters):
            row |= {"bias_index": None, "kappa": None, "note": None}
            row["reason"] = row.get("reason") or "unnamed_raters"
    return pl.DataFrame([row], schema=SCHEMA).with_columns(pl.col(pl.Float64).fill_nan(None))


def _figures(tables: CountTables, labels: Sequence[str]) -> dict[str, Any]:
    p, k = _label_shares(tables), len(labels)
    most_used = int(np.flatnonzero(p >= p.max() - EQUAL)[0])
    kappa = conger_kappa(tables, label_setting(labels, "nominal", None))
    share, observed = float(p[most_used]), float(kappa.observed[0])
    row: dict[str, Any] = {"most_used_label": labels[most_used], "most_used_share": share}
    row |= {"bias_index": _bias(tables), "observed": observed}
    if k == 1:
        return row | {"reason": "zero_denominator", "note": ONE_LABEL}
    row |= {"prevalence_index": (k * share - 1) / (k - 1)}
    row |= {"kappa": float(kappa.estimate[0]), "pabak": (k * observed - 1) / (k - 1)}
    return row | {"note": _note(row)}


def _label_shares(tables: CountTables) -> FloatArray:
    """Return p_j (k,): the mean over the items with two ratings or more of the item's share of label j."""
    items = tables.items[0] * tables.pairable
    p: FloatArray = items @ (tables.C / tables.m[:, None]) / items.sum()
    return p


def _bias(tables: CountTables) -> float:
    """Return half the sum over raters and labels of |own - others'| ratings / all ratings of items with two or more.

    others' is the share of the label among the other raters' ratings, summed over the items that the rater labelled.
    """
    row = tables.row_of[tables.pattern]
    shared = tables.pairable[row] > 0
    row, rater, label = row[shared], tables.rater[shared], tables.label[shared]
    items, m = tables.pattern_items[0, tables.pattern[shared]], tables.m[row]
    # [own] - (C - [own]) / (m - 1) = ([own] m - C) / (m - 1)
    r, k, each = tables.n_raters, tables.n_labels, items / (m - 1)
    difference = np.bincount(rater * k + label, weights=each * m, minlength=r * k).reshape(r, k)
    for j in range(k):
        difference[:, j] -= np.bincount(rater, weights=each * tables.C[row, j], minlength=r)
    return float(np.abs(difference).sum() / 2 / items.sum())


def _note(row: dict[str, Any]) -> str | None:
    """Return the sentence for a kappa that prevalence lowers, else None."""
    label, kappa, pabak = row["most_used_label"], row["kappa"], row["pabak"]
    if row["observed"] < HIGH_OBSERVED - EQUAL or row["prevalence_index"] < HIGH_PREVALENCE - EQUAL:
        return None
    if np.isnan(kappa):
        return f"Every rating is {label!r}, so kappa is undefined."
    if kappa >= min(LOW_KAPPA, pabak):
        return None
    return (
        f"Kappa is {kappa:.2f} though the observed agreement is {row['observed']:.2f}: {label!r} has "
        f"{share_in_percent(row['most_used_share'])} of the ratings, so that most agreement is expected by chance. "
        f"Without prevalence and bias it would be {pabak:.2f} (Feinstein & Cicchetti 1990). Read AC1 beside it, and "
        "rate more items of the rarer labels."
    )

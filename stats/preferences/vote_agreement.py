"""Measure how far the voters agree on the same comparison: an item and a pair of models, whichever was shown first."""

from collections.abc import Callable

import numpy as np
import polars as pl

from stats.arrays import FloatArray, IntArray
from stats.cluster_jackknife import Figure, cluster_jackknife, ratio
from stats.preferences.vote_table import LABELS, check_votes, cluster_codes, comparisons

NOBODY = "The votes do not name the voters, so two voters cannot be told from one who voted twice."
NO_SHARED_COMPARISON = "No two voters voted on the same comparison."
SCHEMA: dict[str, pl.DataType | type[pl.DataType]] = {
    "name": pl.String,
    "estimate": pl.Float64,
    "low": pl.Float64,
    "high": pl.Float64,
    "n_comparisons": pl.Int64,
    "n_raters": pl.Int64,
    "reason": pl.String,
    "detail": pl.String,
}
RATER_SCHEMA: dict[str, pl.DataType | type[pl.DataType]] = {
    "rater": pl.String,
    "n_votes": pl.Int64,
    "n_comparisons": pl.Int64,
    "agreement": pl.Float64,
    "low": pl.Float64,
    "high": pl.Float64,
    "reason": pl.String,
    "detail": pl.String,
}


def vote_agreement(votes: pl.DataFrame, *, confidence: float = 0.95) -> pl.DataFrame:
    """Compute percent_agreement and krippendorff_alpha (nominal) of the voters: one row each.

    The label of a vote is the model that won, or tie. For alpha each comparison is written in both orders of its pair,
    so that the names of the models make no difference: chance agreement is that of voters who know nothing about the
    models. A rater who voted on both orders is one voter, whose two votes count half each. Of several votes on one
    order the last counts. n_comparisons: those on which two or more voted. Intervals: jackknife over clusters, with
    Student's t. Null: `unnamed_raters`, `too_few_items`, `zero_denominator` (all votes alike).
    """
    by_raters = check_votes(votes).filter(pl.col("rater").is_not_null())
    S, cluster = unit_sums(comparisons(by_raters)) if by_raters.height else (np.zeros((0, 0)), np.zeros(0, np.int64))
    n_raters = by_raters["rater"].n_unique() if by_raters.height else 0
    rows = []
    for name, statistic in STATISTICS.items():
        row: dict[str, object] = {"name": name, "n_comparisons": len(S), "n_raters": n_raters}
        if not by_raters.height and votes.height:
            figure = Figure(reason="unnamed_raters", detail=NOBODY)
        elif not len(S):
            figure = Figure(reason="too_few_items", detail=NO_SHARED_COMPARISON)
        else:
            figure = cluster_jackknife(S, cluster, statistic, confidence, lowest=LOWEST[name])
        rows.append(row | figure.to_dict())
    return pl.DataFrame(rows, schema=SCHEMA)


def agreement_by_rater(votes: pl.DataFrame, *, confidence: float = 0.95) -> pl.DataFrame:
    """Compute the agreement of each rater with the others: one row per rater who shares a comparison, by name.

    agreement: on each shared comparison the share of the others' votes that equal the rater's, on average.
    """
    by_raters = check_votes(votes).filter(pl.col("rater").is_not_null())
    if by_raters.is_empty():
        return pl.DataFrame(schema=RATER_SCHEMA)
    same = pl.sum_horizontal(pl.col(label) * (pl.col(label).sum().over("key") - pl.col(label)) for label in LABELS)
    others = pl.len().over("key") - 1
    shared = comparisons(by_raters).with_columns(same=same, others=others).filter(pl.col("others") > 0)
    n_votes = dict(by_raters["rater"].value_counts().rows())
    rows = []
    for (rater,), part in sorted(shared.group_by("rater"), key=lambda group: str(group[0][0])):
        sums = np.stack([(part["same"] / part["others"]).to_numpy(), np.ones(part.height)], axis=1)
        figure = cluster_jackknife(sums, cluster_codes(part["cluster"]), ratio, confidence)
        row = figure.to_dict()
        rows.append(
            {"rater": rater, "n_votes": n_votes[rater], "n_comparisons": part.height, "agreement": row.pop("estimate")}
            | row
        )
    return pl.DataFrame(rows, schema=RATER_SCHEMA)


def voters_by_comparison(answers: pl.DataFrame) -> pl.DataFrame:
    """Return a row per comparison: key, cluster, m (its voters), voters by label, agreeing (ordered pairs of them)."""
    sums = [pl.col(label).sum() for label in LABELS]
    own = pl.sum_horizontal(pl.col(label) ** 2 for label in LABELS)
    return answers.group_by("key", maintain_order=True).agg(
        pl.col("cluster").first(),
        pl.len().alias("m"),
        *sums,
        (pl.sum_horizontal(x**2 for x in sums) - own.sum()).alias("agreeing"),
    )


def unit_sums(answers: pl.DataFrame) -> tuple[FloatArray, IntArray]:
    """Return what each comparison with two voters or more adds, and its cluster (n,).

    It adds agreeing pairs per voter, agreeing share, 1, voters, voters by label.
    """
    units = voters_by_comparison(answers).filter(pl.col("m") > 1)
    m, agreeing = pl.col("m"), pl.col("agreeing")
    S = units.select(
        agreeing / (m - 1), (agreeing / (m * (m - 1))).alias("share"), pl.lit(1.0).alias("one"), m, *LABELS
    )
    return S.to_numpy().astype(float), cluster_codes(units["cluster"])


def _percent(S: FloatArray) -> FloatArray:
    return S[:, 1] / S[:, 2]


def _alpha(S: FloatArray) -> FloatArray:
    """Return Krippendorff's nominal alpha of the votes, each comparison written in both orders of the pair."""
    n, decided, ties = 2 * S[:, 3], S[:, 4] + S[:, 5], 2 * S[:, 6]
    observed = 1 - S[:, 0] / S[:, 3]
    expected = (n**2 - 2 * decided**2 - ties**2) / (n * (n - 1))
    alpha: FloatArray = 1 - np.divide(observed, expected, out=np.full(len(S), np.nan), where=expected > 0)
    return alpha


STATISTICS: dict[str, Callable[[FloatArray], FloatArray]] = {
    "percent_agreement": _percent,
    "krippendorff_alpha": _alpha,
}
LOWEST = {"percent_agreement": 0.0, "krippendorff_alpha": -1.0}

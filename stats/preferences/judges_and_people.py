"""Compare each judge, a system that votes, with the people who voted on the same comparisons."""

from collections.abc import Collection

import numpy as np
import polars as pl

from stats.arrays import FloatArray
from stats.cluster_jackknife import cluster_jackknife, ratio
from stats.preferences.vote_agreement import voters_by_comparison
from stats.preferences.vote_table import LABELS, check_votes, cluster_codes, comparisons

SCHEMA: dict[str, pl.DataType | type[pl.DataType]] = {
    "judge": pl.String,
    "n_comparisons": pl.Int64,
    "agreement": pl.Float64,
    "low": pl.Float64,
    "high": pl.Float64,
    "n_with_several_people": pl.Int64,
    "people": pl.Float64,
    "people_low": pl.Float64,
    "people_high": pl.Float64,
    "difference": pl.Float64,
    "difference_low": pl.Float64,
    "difference_high": pl.Float64,
    "reason": pl.String,
    "detail": pl.String,
}
NO_PEOPLE = "No person voted on a comparison that the judge voted on."
NO_PAIRS = "No two people voted on a comparison that the judge voted on."


def judges_and_people(votes: pl.DataFrame, *, judges: Collection[str], confidence: float = 0.95) -> pl.DataFrame:
    """Compute how far each judge agrees with people, and people with each other: one row per judge, by name.

    - agreement: on each comparison that the judge shares with people, the share of their votes that equal the judge's,
      on average. A voter asked in both orders is one voter, whose two votes count half each.
    - people: where two or more people voted, the share of pairs of them that agree, on average; difference: the judge's
      agreement on the same comparisons, minus that of the people. Above 0 the judge agrees with a person more than
      another person does.

    All intervals: jackknife over clusters. Null: `too_few_items`.
    """
    by_raters = check_votes(votes).filter(pl.col("rater").is_not_null())
    answers = comparisons(by_raters) if by_raters.height else by_raters
    return pl.DataFrame([_row(answers, judge, judges, confidence) for judge in sorted(judges)], schema=SCHEMA)


def _row(answers: pl.DataFrame, judge: str, judges: Collection[str], confidence: float) -> dict[str, object]:
    row: dict[str, object] = {"judge": judge, "n_comparisons": 0, "n_with_several_people": 0}
    if answers.is_empty():
        return row | {"reason": "too_few_items", "detail": NO_PEOPLE}
    own = answers.filter(pl.col("rater") == judge).select(
        "key", *(pl.col(label).alias(f"own_{label}") for label in LABELS)
    )
    people = answers.filter(~pl.col("rater").is_in(list(judges)))
    same = pl.sum_horizontal(pl.col(label) * pl.col(f"own_{label}") for label in LABELS)
    units = voters_by_comparison(people).join(own, on="key", maintain_order="left").with_columns(same=same)
    if units.is_empty():
        return row | {"reason": "too_few_items", "detail": NO_PEOPLE}
    shares = np.column_stack([_share(units), np.ones(units.height)])
    agreement = cluster_jackknife(shares, cluster_codes(units["cluster"]), ratio, confidence)
    several = units.filter(pl.col("m") > 1)
    row |= {"n_comparisons": units.height, "n_with_several_people": several.height, "agreement": agreement.estimate}
    row |= {"low": agreement.low, "high": agreement.high, "reason": agreement.reason, "detail": agreement.detail}
    if several.is_empty():
        return row | ({} if agreement.reason else {"reason": "too_few_items", "detail": NO_PAIRS})
    pairs = (several["agreeing"] / (several["m"] * (several["m"] - 1))).to_numpy()
    sums = np.column_stack([_share(several), pairs, np.ones(several.height)])
    cluster = cluster_codes(several["cluster"])
    among = cluster_jackknife(sums, cluster, _people, confidence)
    difference = cluster_jackknife(sums, cluster, _difference, confidence, lowest=-1.0)
    row |= {"people": among.estimate, "people_low": among.low, "people_high": among.high}
    row |= {"difference": difference.estimate, "difference_low": difference.low, "difference_high": difference.high}
    return row | ({} if row["reason"] else {"reason": difference.reason, "detail": difference.detail})


def _share(units: pl.DataFrame) -> FloatArray:
    return (units["same"] / units["m"]).to_numpy()


def _people(S: FloatArray) -> FloatArray:
    return S[:, 1] / S[:, 2]


def _difference(S: FloatArray) -> FloatArray:
    return (S[:, 0] - S[:, 1]) / S[:, 2]

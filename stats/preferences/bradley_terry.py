"""Estimate the strengths of models from pairwise votes: Bradley-Terry, with Davidson's model of ties."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from scipy.sparse import csr_array

from stats.arrays import FloatArray, IntArray
from stats.intervals import check_confidence
from stats.preferences.comparison_graph import largest_component, ties_fit_perfectly
from stats.preferences.newton_fit import ChoiceFit, design, fit_choices
from stats.preferences.vote_table import check_votes, cluster_codes, codes_of, model_names, outcome_codes
from stats.special_functions import ndtri, stdtrit

SCHEMA: dict[str, pl.DataType | type[pl.DataType]] = {
    "model": pl.String,
    "strength": pl.Float64,
    "se": pl.Float64,
    "low": pl.Float64,
    "high": pl.Float64,
    "rank": pl.Int64,
    "rank_low": pl.Int64,
    "rank_high": pl.Int64,
    "n_votes": pl.Int64,
    "n_wins": pl.Int64,
    "n_losses": pl.Int64,
    "n_ties": pl.Int64,
    "reason": pl.String,
    "detail": pl.String,
}
TIES_ONLY = "Ties and wins go by steps without an exception, so that no finite strengths fit best."
LOOSE = "No chain of wins and ties leads both to and from the models that have a strength."
ONE_CLUSTER = "All votes are on one item, so it is not known how strengths vary between items."


@dataclass(frozen=True)
class PreferenceStrengths:
    """The strengths: one row per model of SCHEMA, the strongest first, those without a strength last.

    - interval_method: `clustered` (sandwich, by cluster) or `information` (each vote is a cluster of its own).
    - tie_parameter: Davidson's nu, with its interval; null without ties. Equal models tie in nu / (2 + nu) of votes.
    - n_clusters: clusters of the votes that the strengths come from; n_groups: groups of models linked both ways.
    """

    models: pl.DataFrame
    interval_method: str
    n_clusters: int
    n_groups: int
    tie_parameter: float | None
    tie_low: float | None
    tie_high: float | None


@dataclass(frozen=True)
class _Tables:
    """Votes as codes: (n,) arrays of first, second, outcome and cluster, and K x K tables of wins and ties."""

    names: list[str]
    first: IntArray
    second: IntArray
    outcome: IntArray
    cluster: IntArray
    wins: FloatArray
    ties: FloatArray


def strengths(votes: pl.DataFrame, *, confidence: float = 0.95) -> PreferenceStrengths:
    """Estimate how strong each model is. `votes` has the columns of `stats.preferences.VOTES`.

    P(i beats j) : P(j beats i) : P(tie) = exp(l_i) : exp(l_j) : nu exp((l_i + l_j) / 2). The strengths l are in natural
    logarithms and sum to 0. They maximise the likelihood. Which model was shown first does not matter.

    Intervals: the inverse information if each vote has a cluster of its own. Else votes of a cluster may depend on each
    other, and the standard error is the larger of that and the sandwich clustered by `cluster`, with Student's t of one
    degree of freedom fewer than clusters. rank_low and rank_high: a model is above another for sure if the interval of
    their difference excludes 0; the ranks are not corrected for looking at all pairs.

    A model that always wins or loses, or that is not linked to the others in both directions, has no finite strength:
    null, `not_identified`. The other strengths then come from the votes among the largest linked group.

    >>> PAIR = ["first", "second", "outcome"]
    >>> rows = [("1", "1", None, "x", "y", "first")] * 3 + [("2", "2", None, "y", "x", "first")]
    >>> result = strengths(pl.DataFrame(rows, schema=["item", "cluster", "rater", *PAIR], orient="row"))
    >>> result.models.select("model", pl.col("strength").round(4), "rank").rows()
    [('x', 0.5493, 1), ('y', -0.5493, 2)]
    """
    check_confidence(confidence)
    tables = _tables(check_votes(votes))
    if not tables.names:
        return PreferenceStrengths(pl.DataFrame(schema=SCHEMA), "information", 0, 0, None, None, None)
    members, n_groups = largest_component(tables.wins, tables.ties)
    inner = np.ix_(members, members)
    wins, ties = tables.wins[inner], tables.ties[inner]
    if len(members) < 2 or ties_fit_perfectly(wins, ties):
        perfect = len(members) > 1
        rows = [_without(tables, i, TIES_ONLY if perfect else LOOSE) for i in range(len(tables.names))]
        return PreferenceStrengths(pl.DataFrame(rows, schema=SCHEMA), "information", 0, n_groups, None, None, None)
    return _fitted(tables, members, n_groups, confidence)


def _tables(votes: pl.DataFrame) -> _Tables:
    names = model_names(votes)
    first, second = codes_of(votes["first"], names), codes_of(votes["second"], names)
    outcome, k = outcome_codes(votes), len(names)
    winner, loser = np.where(outcome == 0, first, second), np.where(outcome == 0, second, first)
    wins, ties = np.zeros((k, k)), np.zeros((k, k))
    decided = outcome < 2
    np.add.at(wins, (winner[decided], loser[decided]), 1)
    np.add.at(ties, (first[~decided], second[~decided]), 1)
    return _Tables(names, first, second, outcome, cluster_codes(votes["cluster"]), wins, ties + ties.T)


def _fitted(tables: _Tables, members: IntArray, n_groups: int, confidence: float) -> PreferenceStrengths:
    wins, ties = (table[np.ix_(members, members)] for table in (tables.wins, tables.ties))
    k = len(members)
    i, j = np.nonzero(np.triu(wins + wins.T + ties))
    counts = np.stack([wins[i, j], wins[j, i], ties[i, j]], axis=1)
    X = design(i, j, k)
    fit = fit_choices(X, counts, n_models=k)
    covariance, scale, method, n_clusters = _errors(tables, members, fit, X, (i, j), confidence)
    rows = _rows(tables, members, fit.estimate[:k], covariance[:k, :k], scale)
    others = sorted(set(range(len(tables.names))) - set(members.tolist()))
    rows += [_without(tables, model, LOOSE) for model in others]
    tie, low, high = _tie(fit.estimate[k], scale * np.sqrt(covariance[k, k])) if ties.any() else (None, None, None)
    return PreferenceStrengths(pl.DataFrame(rows, schema=SCHEMA), method, n_clusters, n_groups, tie, low, high)


def _tie(log_parameter: float, half: float) -> tuple[float, float | None, float | None]:
    """Return Davidson's parameter with its interval, if it has one."""
    low, estimate, high = (float(np.exp(log_parameter + shift)) for shift in (-half, 0.0, half))
    return (estimate, low, high) if np.isfinite(half) else (estimate, None, None)


def _errors(
    tables: _Tables,
    members: IntArray,
    fit: ChoiceFit,
    X: list[csr_array],
    pairs: tuple[IntArray, IntArray],
    confidence: float,
) -> tuple[FloatArray, float, str, int]:
    """Return the covariance, the quantile that intervals take (NaN without intervals), the method, and the clusters."""
    inside = np.isin(tables.first, members) & np.isin(tables.second, members)
    clusters, cluster = np.unique(tables.cluster[inside], return_inverse=True)
    n, tail = len(clusters), (1 + confidence) / 2
    plain = fit.covariance()
    if n == len(cluster):
        return plain, float(ndtri(tail)), "information", n
    if n < 2:
        return plain, np.nan, "clustered", n
    k = len(members)
    place = np.full(len(tables.names), -1)
    place[members] = np.arange(k)
    a, b = place[tables.first[inside]], place[tables.second[inside]]
    count_row = np.full((k, k), -1)
    count_row[pairs] = np.arange(len(pairs[0]))
    row = count_row[np.minimum(a, b), np.maximum(a, b)]
    outcome = tables.outcome[inside]
    turned = np.where(outcome < 2, np.where(a < b, outcome, 1 - outcome), 2)
    return clustered(fit, plain, X, row, turned, cluster), float(stdtrit(n - 1, tail)), "clustered", n


def clustered(
    fit: ChoiceFit, plain: FloatArray, X: list[csr_array], row: IntArray, outcome: IntArray, cluster: IntArray
) -> FloatArray:
    """Return the sandwich covariance of votes clustered by `cluster`, enlarged where the inverse information is larger.

    `row`, `outcome` and `cluster` (n,) are those of each vote; `plain` is the inverse information.
    """
    codes = np.unique(cluster, return_inverse=True)[1]
    n = int(codes.max()) + 1
    score = -fit.expected[row]
    for o, x in enumerate(X):
        score = score + x[row].multiply((outcome == o)[:, None])
    sums = csr_array((np.ones(len(row)), (codes, np.arange(len(row)))), shape=(n, len(row))) @ score
    meat = (sums.T @ sums).toarray() * n / (n - 1)
    return _larger(plain, plain @ meat @ plain)


def _larger(plain: FloatArray, robust: FloatArray) -> FloatArray:
    """Return the sum of robust and the positive part of plain - robust, which is no smaller than either."""
    values, vectors = np.linalg.eigh(plain - robust)
    larger: FloatArray = robust + (vectors * np.maximum(values, 0)) @ vectors.T
    return larger


def _rows(
    tables: _Tables, members: IntArray, strength: FloatArray, covariance: FloatArray, scale: float
) -> list[dict[str, Any]]:
    variance = np.diag(covariance)
    se = np.sqrt(np.maximum(variance, 0))
    between = np.sqrt(np.maximum(variance[:, None] + variance - 2 * covariance, 0))
    ahead = strength[:, None] - strength > scale * between if np.isfinite(scale) else np.zeros(between.shape, bool)
    rounded = np.round(strength, 9)
    rows = []
    for i in sorted(range(len(members)), key=lambda i: (-rounded[i], tables.names[members[i]])):
        half = float(scale * se[i]) if np.isfinite(scale) else None
        rows.append(
            _counts(tables, int(members[i]))
            | {
                "strength": float(strength[i]),
                "se": None if half is None else float(se[i]),
                "low": None if half is None else float(strength[i] - half),
                "high": None if half is None else float(strength[i] + half),
                "rank": 1 + int((rounded > rounded[i]).sum()),
                "rank_low": None if half is None else 1 + int(ahead[:, i].sum()),
                "rank_high": None if half is None else len(members) - int(ahead[i].sum()),
                "reason": "too_few_items" if half is None else None,
                "detail": ONE_CLUSTER if half is None else None,
            }
        )
    return rows


def _counts(tables: _Tables, model: int) -> dict[str, Any]:
    wins, losses, ties = (int(t[model].sum()) for t in (tables.wins, tables.wins.T, tables.ties))
    return {
        "model": tables.names[model],
        "n_votes": wins + losses + ties,
        "n_wins": wins,
        "n_losses": losses,
        "n_ties": ties,
    }


def _without(tables: _Tables, model: int, why: str) -> dict[str, Any]:
    counts = _counts(tables, model)
    n = counts["n_votes"]
    if counts["n_wins"] == n:
        why = f"It won all of its votes ({n:,}), so no strength is large enough."
    elif counts["n_losses"] == n:
        why = f"It lost all of its votes ({n:,}), so no strength is small enough."
    return counts | {"reason": "not_identified", "detail": why}

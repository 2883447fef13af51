"""Measure how far being shown first makes a model win (Davidson and Beaver 1977)."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import polars as pl

from stats.arrays import BoolArray, FloatArray, IntArray
from stats.preferences.bradley_terry import clustered
from stats.preferences.comparison_graph import largest_component
from stats.preferences.newton_fit import LARGEST, ChoiceFit, design, fit_choices
from stats.preferences.vote_table import check_votes, cluster_codes, codes_of, model_names, outcome_codes
from stats.special_functions import ndtri, stdtrit

MAX_RATERS = 50  # whose bias is estimated, each beside the strengths
FREE = 1e-6  # part of a bias in directions that the votes do not determine
SCHEMA: dict[str, pl.DataType | type[pl.DataType]] = {
    "rater": pl.String,
    "n_votes": pl.Int64,
    "n_first": pl.Int64,
    "n_second": pl.Int64,
    "n_ties": pl.Int64,
    "first_wins": pl.Float64,
    "low": pl.Float64,
    "high": pl.Float64,
    "reason": pl.String,
    "detail": pl.String,
}
ONE_ORDER = "The models change places too seldom to tell the position from the strengths."
EXTREME = "Votes follow the position so closely that no finite bias fits best."
ALL_IN_ONE_PLACE = (
    "All votes that are no ties are for the model shown {}. So the strengths may show only which model was shown there,"
    " not which is better."
)
ONE_PLACE = "All votes of a voter that are no ties are for the model shown {}, so no finite bias fits best."
ALL_TIES = "All votes are ties, so they say nothing of the position."
FEW_ITEMS = "All votes are on one item, so it is not known how the bias varies between items."


def position_bias(votes: pl.DataFrame, *, confidence: float = 0.95) -> pl.DataFrame:
    """Estimate how often the model shown first would win against an equal one, ties aside. One half is no bias.

    Returns a row for all votes (`rater` is null), then one for each rater if there are 2 to 50. The bias is fitted
    together with the strengths, so that a strong model that is often shown first is no bias. Intervals as those of
    `stats.preferences.strengths`. Null: `not_identified`, `too_few_items`.
    """
    checked = check_votes(votes)
    if not model_names(checked):
        return pl.DataFrame(schema=SCHEMA)
    inside, codes, outcome, members = linked_votes(checked)
    everybody = np.zeros(checked.height, np.int64)
    rows = _rows([None], everybody, everybody[inside], codes, outcome, len(members), confidence)
    raters = checked["rater"].drop_nulls().unique().sort().to_list()
    if 2 <= len(raters) <= MAX_RATERS and not checked["rater"].null_count():
        rater = codes_of(checked["rater"], raters)
        rows += _rows(raters, rater, rater[inside], codes, outcome, len(members), confidence)
    return pl.DataFrame(rows, schema=SCHEMA)


def own_position_bias(votes: pl.DataFrame, *, raters: Sequence[str], confidence: float = 0.95) -> pl.DataFrame:
    """Estimate the bias of each rater beside the strengths that this rater's votes alone give the models.

    For systems beside people: a judge that prefers other models than people do is not biased for that. Returns a row
    for each of the first 50 `raters`, with the columns of `position_bias`.
    """
    checked = check_votes(votes)
    rows = []
    for rater in raters[:MAX_RATERS]:
        own = checked.filter(pl.col("rater") == rater)
        inside, codes, outcome, members = linked_votes(own)
        nobody_else = np.zeros(own.height, np.int64)
        rows += _rows([rater], nobody_else, nobody_else[inside], codes, outcome, len(members), confidence)
    return pl.DataFrame(rows, schema=SCHEMA)


def linked_votes(
    checked: pl.DataFrame,
) -> tuple[BoolArray, tuple[IntArray, IntArray, IntArray, IntArray], IntArray, IntArray]:
    """Return which votes are among models that wins link, their codes, the outcomes of all votes, and these models."""
    names = model_names(checked)
    first, second = codes_of(checked["first"], names), codes_of(checked["second"], names)
    outcome = outcome_codes(checked)
    wins, ties = np.zeros((len(names), len(names))), np.zeros((len(names), len(names)))
    np.add.at(wins, (np.where(outcome == 0, first, second), np.where(outcome == 0, second, first)), outcome < 2)
    np.add.at(ties, (first, second), outcome == 2)
    members, _ = largest_component(wins, ties + ties.T)
    inside = np.isin(first, members) & np.isin(second, members)
    place = np.full(len(names), -1)
    place[members] = np.arange(len(members))
    clusters = cluster_codes(checked.filter(pl.Series(inside))["cluster"])
    return inside, (place[first[inside]], place[second[inside]], outcome[inside], clusters), outcome, members


def _rows(
    raters: list[Any],
    rater: IntArray,
    rater_inside: IntArray,
    codes: tuple[IntArray, IntArray, IntArray, IntArray],
    outcome: IntArray,
    k: int,
    confidence: float,
) -> list[dict[str, Any]]:
    """Return a row per rater. `rater` and `outcome` are of all votes, the others of those that are fitted."""
    first, second, chosen, cluster = codes
    rows = [
        {"rater": name, "n_votes": int((rater == r).sum())}
        | {
            f"n_{what}": int(((outcome == o) & (rater == r)).sum())
            for o, what in enumerate(("first", "second", "ties"))
        }
        for r, name in enumerate(raters)
    ]
    if k < 2 or not len(first):
        return [row | {"reason": "not_identified", "detail": ONE_ORDER} for row in rows]
    cells, row_of = np.unique(np.stack([first, second, rater_inside]), axis=1, return_inverse=True)
    row_of = row_of.ravel()
    counts = np.zeros((cells.shape[1], 3))
    np.add.at(counts, (row_of, chosen), 1)
    X = design(cells[0], cells[1], k, cells[2], len(raters))
    fit = fit_choices(X, counts, n_models=k)
    n = len(np.unique(cluster))
    plain = fit.covariance()
    own = n == len(cluster)
    covariance = plain if own or n < 2 else clustered(fit, plain, X, row_of, chosen, cluster)
    scale = float(ndtri((1 + confidence) / 2) if own else stdtrit(n - 1, (1 + confidence) / 2)) if n > 1 else np.nan
    free = fit.undetermined()
    return [
        row | (_one_sided(row) or _figures(fit, covariance, free, k + 1 + r, k, scale)) for r, row in enumerate(rows)
    ]


def _one_sided(row: dict[str, Any]) -> dict[str, Any]:
    """Return the reason where all votes are for one place, or ties: then no finite bias fits best."""
    first, second = row["n_first"], row["n_second"]
    if first and second:
        return {}
    in_one_place = ALL_IN_ONE_PLACE if row["rater"] is None else ONE_PLACE
    detail = in_one_place.format("first" if first else "second") if first or second else ALL_TIES
    return {"reason": "not_identified", "detail": detail}


def _figures(fit: ChoiceFit, covariance: FloatArray, free: FloatArray, at: int, k: int, scale: float) -> dict[str, Any]:
    bias = float(fit.estimate[at])
    if not fit.converged or np.abs(fit.estimate[[*range(k), at]]).max() > LARGEST:
        return {"reason": "not_identified", "detail": EXTREME}
    if free[at] > FREE:
        return {"reason": "not_identified", "detail": ONE_ORDER}
    if not np.isfinite(scale):
        return {"reason": "too_few_items", "detail": FEW_ITEMS}
    half = scale * float(covariance[at, at]) ** 0.5
    low, estimate, high = (1 / (1 + np.exp(-x)) for x in (bias - half, bias, bias + half))
    return {"first_wins": float(estimate), "low": float(low), "high": float(high)}

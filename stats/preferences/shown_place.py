"""Check whether the strengths of models show where the models were shown, and not only which is better."""

from typing import Any

import numpy as np
import polars as pl

from stats.arrays import FloatArray
from stats.preferences.newton_fit import LARGEST, design, fit_choices
from stats.preferences.position_bias import linked_votes
from stats.preferences.vote_table import check_votes, model_names

LARGE = 0.5  # of the half-width of a strength: by so much the place must move it
LEAST_SCALE = 0.5  # a bias draws all strengths together, by no more than this
LEAST_Z = 3.0  # standard errors by which the share of a model's first places differs from a half
PLACE_IN_STRENGTHS = (
    "The strengths partly show the place: votes favour the model shown {}, and some models were shown there more often"
    " than others. If the place is taken into account, the strength of {} is {:.2f} and not {:.2f}."
)


def place_in_strengths(votes: pl.DataFrame, models: pl.DataFrame, position: dict[str, Any]) -> str | None:
    """Return a sentence if the position bias moves the strength of a model shown mostly in one place, else None.

    `models` are of `stats.preferences.strengths`, `position` is the first row of `position_bias`, both of these votes.
    Strengths are fitted again, together with the bias. A bias draws the strengths of models that change places equally
    often nearer to 0; this is no fault of the places and is taken out before they are compared.
    """
    low, high = position["low"], position["high"]
    ranked = models.filter(pl.col("low").is_not_null())
    if low is None or low <= 0.5 <= high or ranked.is_empty():
        return None
    checked = check_votes(votes)
    fitted, often_there = _strengths_beside_bias(checked), _often_in_one_place(checked)
    strength, placed = ranked["strength"].to_numpy(), np.array([fitted.get(name, np.nan) for name in ranked["model"]])
    if not np.isfinite(placed).all() or np.abs(placed).max() > LARGEST:
        return None
    moved = np.abs(strength - _scale(strength, placed) * placed)
    is_much = (moved > LARGE * (ranked["high"] - strength).to_numpy()) & ranked["model"].is_in(often_there).to_numpy()
    moved = np.where(is_much, moved, 0.0)
    most = int(moved.argmax())
    if not moved[most]:
        return None
    place = "first" if low > 0.5 else "second"
    return PLACE_IN_STRENGTHS.format(place, ranked["model"][most], placed[most], strength[most])


def _strengths_beside_bias(checked: pl.DataFrame) -> dict[str, float]:
    """Return the strength of each model that wins link to the others, fitted together with a position bias."""
    _, (first, second, chosen, _), _, members = linked_votes(checked)
    k = len(members)
    cells, row_of = np.unique(np.stack([first, second]), axis=1, return_inverse=True)
    counts = np.zeros((cells.shape[1], 3))
    np.add.at(counts, (row_of.ravel(), chosen), 1)
    X = design(cells[0], cells[1], k, np.zeros(cells.shape[1], np.int64), 1)
    fit = fit_choices(X, counts, n_models=k)
    names = model_names(checked)
    return {names[member]: float(value) for member, value in zip(members, fit.estimate[:k], strict=True)}


def _often_in_one_place(checked: pl.DataFrame) -> list[str]:
    """List the models that were shown in one place more often than a random order explains."""
    places = pl.concat([
        checked.select(model="first", n_first=pl.lit(1)), checked.select(model="second", n_first=pl.lit(0))
    ])  # fmt: skip
    by_model = places.group_by("model").agg(pl.col("n_first").sum(), n=pl.len())
    z = (2 * pl.col("n_first") - pl.col("n")).abs() / pl.col("n").sqrt()
    return by_model.filter(z >= LEAST_Z)["model"].sort().to_list()


def _scale(strength: FloatArray, placed: FloatArray) -> float:
    """Return the factor between LEAST_SCALE and 1 that brings the second strengths nearest to the first."""
    return float(np.clip((strength @ placed) / max(float(placed @ placed), 1e-12), LEAST_SCALE, 1.0))

"""The two intervals of `average` beside the truth: on real sets, each left out in turn, and simulated.

An interval counts as holding the gold accuracy if it does when gold's own sampling error is added in quadrature.
"""

from typing import Any

import numpy as np
import polars as pl

from benchmarks.accuracy.studies import Study, kinds, studies
from benchmarks.page import Table
from stats.accuracy.estimators import average
from stats.accuracy.fitting.estimator import Interval
from stats.accuracy.fitting.outer_interval import outer_interval
from stats.arrays import FloatArray
from stats.defaults import OUTER_ERROR

CONFIDENCE, Z_90 = 0.9, 1.645
TAUS = np.arange(0, 151) / 100
SIMULATED, SEED = 40, 20_261_123  # sets of ratings per setting


def gold_noise(rows: pl.DataFrame) -> FloatArray:
    """Half the 90 % interval of the gold accuracies (Agresti & Coull 1998: no error of 0 where all are right)."""
    g, n = rows["gold_accuracy"].to_numpy(), rows["n_gold"].to_numpy()
    share = (g * n + 2) / (n + 4)
    return np.asarray(Z_90 * np.sqrt(share * (1 - share) / (n + 4)))


def outer_ends(rows: pl.DataFrame, tau: float) -> FloatArray:
    """The outer intervals (2, n) of rows of average with this tau."""
    ends = [
        outer_interval(row["estimate"], row["outer_variance"], Interval(None, row["low"], row["high"]), CONFIDENCE, tau)
        for row in rows.iter_rows(named=True)
    ]
    return np.array([(np.nan, np.nan) if each is None else each for each in ends]).T


def held(rows: pl.DataFrame, ends: FloatArray) -> FloatArray:
    """Whether intervals (2, n) hold the gold accuracies, gold's own error allowed for."""
    A, noise = rows["estimate"].to_numpy(), gold_noise(rows)
    down, up = np.hypot(A - ends[0], noise), np.hypot(ends[1] - A, noise)
    gold = rows["gold_accuracy"].to_numpy()
    return np.asarray((gold >= A - down) & (gold <= A + up), dtype=np.float64)


def mean_coverage(rows: pl.DataFrame, tau: float) -> float:
    """The share of outer intervals that hold, each set counting once."""
    return float(np.mean([held(part, outer_ends(part, tau)).mean() for part in rows.partition_by("set")]))


def fitted_tau(rows: pl.DataFrame) -> float:
    """The smallest tau whose outer intervals hold in the nominal share of cases, each set counting once."""
    return next((float(tau) for tau in TAUS if mean_coverage(rows, tau) >= CONFIDENCE), float(TAUS[-1]))


def left_out(estimates: pl.DataFrame) -> list[dict[str, Any]]:
    """For each set: coverage and median half-width of the inner interval, of the outer one, and of the outer one with
    the tau that the other sets give. `exact`: coverage of the outer one with gold taken as exact."""
    rows, figures = defined(estimates), []
    for part in rows.partition_by("set", maintain_order=True):
        others = rows.filter(pl.col("set") != part["set"][0])
        tau = fitted_tau(others) if others.height else OUTER_ERROR
        inner = part.select("low", "high").to_numpy().T
        ends = {"inner": inner, "outer": outer_ends(part, OUTER_ERROR), "fitted": outer_ends(part, tau)}
        low, high = (pl.Series(end) for end in ends["outer"])
        exact = part["gold_accuracy"].is_between(low, high).mean()
        figures.append({"set": part["set"][0], "systems": part.height, "tau": tau, "exact": exact})
        for name, each in ends.items():
            figures[-1] |= {name: held(part, each).mean(), f"{name}_half": float(np.median(each[1] - each[0])) / 2}
    return figures


def defined(estimates: pl.DataFrame) -> pl.DataFrame:
    """The rows of average that have both intervals."""
    return estimates.filter(pl.col("method") == "average").drop_nulls(["estimate", "low", "outer_variance"])


def simulated(sets: int = SIMULATED) -> list[dict[str, Any]]:
    """For each of the source paper's 14 settings: coverage of the expected accuracy, and median half-width."""
    figures = []
    for number, kind in enumerate(kind for kind in kinds() if kind.paper):
        rng = np.random.default_rng([SEED, number])
        ends = [each for study in studies(kind, sets, rng) if (each := _ends(study)) is not None]
        truth, low, high, outer_low, outer_high = np.array(ends).T
        figures.append(
            {
                "setting": f"{kind.name}, {kind.setting.n_items:,} items",
                "estimates": len(ends),
                "inner": float(((low <= truth) & (truth <= high)).mean()),
                "outer": float(((outer_low <= truth) & (truth <= outer_high)).mean()),
                "inner_half": float(np.median(high - low)) / 2,
                "outer_half": float(np.median(outer_high - outer_low)) / 2,
            }
        )
    return figures


def _ends(study: Study) -> tuple[float, float, float, float, float] | None:
    """The expected accuracy, the inner and the outer interval; None where there is no estimate."""
    if study.data is None:
        return None
    patterns = study.patterns[True]
    fitted = average.fit_data(patterns, study.data)
    inner = average.AVERAGE.interval(patterns, fitted, CONFIDENCE, 0)
    variance = fitted.outer_variance() if fitted.outer_variance is not None else None
    if fitted.accuracy is None or inner.low is None or inner.high is None or variance is None:
        return None
    outer = outer_interval(fitted.accuracy, variance, inner, CONFIDENCE)
    return None if outer is None else (study.truth, inner.low, inner.high, *outer)


def real_table(figures: list[dict[str, Any]], tau: float) -> Table:
    """Both intervals on each real set."""
    header = ("set", "systems", "inner holds", "half-width", "outer holds", "half-width of outer", "tau of the others")
    header += ("outer holds with it",)
    names = ("inner", "inner_half", "outer", "outer_half", "tau", "fitted")
    rows = [[row["set"], str(row["systems"]), *(_written(name, row[name]) for name in names)] for row in figures]
    means = {name: float(np.mean([row[name] for row in figures])) for name in names}
    n_systems = str(sum(row["systems"] for row in figures))
    rows.append(["mean of the sets", n_systems, *("" if n == "tau" else _written(n, means[n]) for n in names)])
    about = f"""Share of the nominal 90 % intervals of average that hold the gold accuracy, gold's own sampling error
    allowed for, and median half-width. The outer interval has tau = {OUTER_ERROR}. The last columns leave one set out
    each time: tau is fitted to the other sets, as the smallest one whose outer intervals hold in 90 % of the cases,
    each set counting once, and tried on the set left out. Fitted to all sets, tau is {tau:.2f}."""
    return Table("Both intervals", about, header, rows)


def simulated_table(figures: list[dict[str, Any]], sets: int) -> Table:
    """Both intervals in the settings of the source paper."""
    header = ("setting", "estimates", "inner holds", "half-width", "outer holds", "half-width of outer")
    names = ("inner", "inner_half", "outer", "outer_half")
    rows = [[row["setting"], str(row["estimates"]), *(_written(name, row[name]) for name in names)] for row in figures]
    means = [_written(name, float(np.mean([row[name] for row in figures]))) for name in names]
    rows.append(["mean of the settings", str(sum(row["estimates"] for row in figures)), *means])
    about = f"""Share of the nominal 90 % intervals of average that hold the expected accuracy in simulated ratings, and
    median half-width: the 14 settings of the source paper, {sets} sets of ratings each. Raters and systems err
    independently here, given the item's difficulty. The inner interval is made for that, and the outer one holds more
    than it promises."""
    return Table("Both intervals, simulated", about, header, rows)


def _written(name: str, value: float) -> str:
    return f"{value:.2f}" if name == "tau" else f"{value:.3f}" if name.endswith("_half") else f"{100 * value:.0f} %"

"""From the parts of a coefficient to what is reported: estimate, standard error, interval, p-value or a reason."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from stats.agreement.coefficient import ALL_RATERS, Bounds, Coefficient, Parts
from stats.agreement.errors import Errors, Sample, Spread, checked_population, spread_of
from stats.agreement.tables import Tables, at_least, without_raters
from stats.agreement.weights import NUMERIC, Setting
from stats.intervals import FloatArray

TINY = 1e-12  # closer to 1 or 0 than this is exact but for rounding


@dataclass(frozen=True)
class Results:
    """A coefficient for B sets of ratings, all (B,): NaN in `estimate` and an entry in `reason` where undefined.

    n_items: items that entered. undefined: share of the replicates without an estimate. degenerate: the
    estimate changes with no item, so that the standard error is 0 and says nothing; it is 0 too where all
    items of a finite population were rated. method: of the errors.
    """

    estimate: FloatArray
    se: FloatArray
    low: FloatArray
    high: FloatArray
    p_value: FloatArray
    observed: FloatArray
    expected: FloatArray
    n_items: FloatArray
    reason: npt.NDArray[np.object_]
    degenerate: npt.NDArray[np.bool_]
    undefined: FloatArray
    method: str
    note: str | None = None


def results_of(coefficient: Coefficient, tables: Tables, setting: Setting, errors: Errors) -> Results:
    """Compute a coefficient with its errors, conditional on the raters; intervals end at 1 at most.

    Perfect agreement has estimate 1, standard error 0 and the interval [1, 1] whatever the formula of the
    variance makes of items with a single rating. Undefined: `not_applicable` (design, labels or weights that
    the coefficient is not made for), `too_few_raters` (one), `too_few_items` (fewer than two with two
    ratings), `zero_denominator` (one declared label, expected agreement 1).
    """
    checked_population(tables, errors)
    why = ruled_out(coefficient, tables, setting)
    if why:
        return _nothing(len(tables.items), tables.n, why, errors.method)
    if not coefficient.by_rater:
        tables = without_raters(tables)
    parts = coefficient.compute(tables, setting)
    reason = np.full(len(parts.estimate), None, dtype=object)
    reason[np.isnan(parts.estimate)] = "zero_denominator"
    if tables.n_labels == 1 and coefficient.chance:
        reason[:] = "zero_denominator"
    reason[parts.n_pairable < 2] = "too_few_items"
    undefined = np.array([code is not None for code in reason])
    # where the expected agreement is near 1, perfect agreement comes out as 1 only nearly
    off = np.abs(1 - parts.estimate)
    perfect = ~undefined & ((off < TINY) | ((off < 1e-6) & (np.abs(1 - parts.observed) < TINY)))
    parts = replace(parts, estimate=np.where(undefined, np.nan, np.where(perfect, 1.0, parts.estimate)))
    if undefined.all():
        spread = _no_spread(len(reason), errors.method)
    else:
        spread = spread_of(_sample(coefficient, parts, tables, setting), errors)
    whole, equal = parts.n == (errors.population or 0), spread.se < TINY
    # equal values of some replicates or items left out say nothing where others have none
    se = np.where(perfect | whole | (equal & (spread.undefined == 0)), 0.0, np.where(equal, np.nan, spread.se))
    se = np.where(undefined, np.nan, se)
    unknown = undefined | (equal & (spread.method != "F"))
    low, high = (np.where(se == 0, parts.estimate, np.where(unknown, np.nan, end)) for end in _ends(spread))
    p_value = np.where((se > 0) & coefficient.tested, spread.bounds.p_value, np.nan)
    return Results(
        estimate=parts.estimate,
        se=se,
        low=np.maximum(low, coefficient.least),
        high=np.minimum(high, 1.0),
        p_value=p_value,
        observed=parts.observed,
        expected=parts.expected,
        n_items=parts.n,
        reason=reason,
        degenerate=(se == 0) & (perfect | ~whole),
        undefined=np.where(undefined | (se == 0), 0.0, spread.undefined),
        method=spread.method,
        note=parts.note,
    )


def figures_of(results: Results) -> dict[str, Any]:
    """The numbers of the first set, null where undefined, and the reason."""
    names = ("estimate", "se", "low", "high", "p_value", "observed", "expected")
    values = {name: float(getattr(results, name)[0]) for name in names}
    return {name: None if np.isnan(value) else value for name, value in values.items()} | {"reason": results.reason[0]}


def ruled_out(coefficient: Coefficient, tables: Tables, setting: Setting) -> str | None:
    """The reason why this design has no such coefficient, before anything is computed."""
    if tables.n_raters < 2:
        return "too_few_raters"
    if coefficient.two_raters and tables.n_raters > 2:
        return "not_applicable"
    if coefficient.two_labels and tables.n_labels != 2:
        return "not_applicable"
    if coefficient.numeric and setting.scale not in NUMERIC:
        return "not_applicable"
    if not coefficient.weighted and setting.weights not in (None, "identity"):
        return "not_applicable"
    return None


def _sample(coefficient: Coefficient, parts: Parts, tables: Tables, setting: Setting) -> Sample:
    ratings = tables.n_raters if coefficient.enters == ALL_RATERS else coefficient.enters
    return Sample(
        parts,
        tables,
        at_least(tables, ratings),
        lambda some: coefficient.compute(some, setting).estimate,
        coefficient.width(tables.n_labels, tables.n_raters),
    )


def _ends(spread: Spread) -> tuple[FloatArray, FloatArray]:
    return spread.bounds.low, spread.bounds.high


def _no_spread(size: int, method: str) -> Spread:
    nan = np.full(size, np.nan)
    return Spread(nan, Bounds(nan, nan, nan), method, np.zeros(size))


def _nothing(size: int, n: FloatArray, why: str, method: str) -> Results:
    nan, none = np.full(size, np.nan), np.zeros(size)
    reason = np.full(size, why, dtype=object)
    return Results(nan, nan, nan, nan, nan, nan, nan, n, reason, none.astype(bool), none, method)

"""Compare the agreement of two sets of ratings of the same items: before and after, experts and crowd."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl

from stats.agreement.coefficients.coefficient import Coefficient
from stats.agreement.count_tables import CountTables, without_raters
from stats.agreement.group.group_tables import sides_of, tables_of_rows
from stats.agreement.inference.coefficient_comparison import SCHEMA as COMPARISON
from stats.agreement.inference.coefficient_comparison import difference_of, errors_of, why_undefined
from stats.agreement.inference.estimates import compute_point_estimates
from stats.agreement.overall import chosen_coefficients
from stats.agreement.weights import LabelSetting, Weights, label_setting
from stats.arrays import FloatArray, IntArray
from stats.counts import distinct_raters, long_patterns
from stats.defaults import REPLICATES
from stats.errors import StatsError
from stats.frames import collect
from stats.patterns import NO_CODES, RatingPatterns
from stats.ratings import N_ITEMS, ratings_frame

SCHEMA = pl.Schema({"coefficient": pl.String(), **COMPARISON, "n_common": pl.Int64()})
SIDES = ("first", "second")


def compare_groups(
    first_ratings: Any,
    second_ratings: Any,
    *,
    labels: Sequence[str],
    coefficient: str = "krippendorff_alpha",
    names: Sequence[str] = SIDES,
    scale: str = "nominal",
    weights: Weights = None,
    confidence: float = 0.95,
    interval_method: str = "percentile",
    replicates: int = REPLICATES,
    seed: int = 0,
) -> pl.DataFrame:
    """Compute the difference of a coefficient between two sets of ratings of the same items: one row.

    The two frames are two groups of raters, or two times at which the same raters rated. A rater in both frames counts
    as two. Each estimate is that of `agreement` of its frame. Items are paired: a bootstrap sample draws from the items
    rated in either frame, each with all its ratings from both, so that a hard item lowers both estimates. An item rated
    in one frame counts in that frame's estimate only. If no item is common, the frames are independent and
    `stats.agreement.inference.homogeneity` is the simpler test.

    `names` appear in the columns first and second. n_items: items rated in either frame, n_common: in both. The
    difference is first - second. The other columns, arguments and errors are those of `compare`. Where a frame has a
    column n_items, an item must have the same number in both.

    >>> before = [(i, r, l) for i, pair in enumerate(["AB", "AA", "BA", "BB"] * 9) for r, l in zip("xy", pair)]
    >>> after = [(i, r, l) for i, pair in enumerate(["AA", "AA", "BA", "BB"] * 9) for r, l in zip("xy", pair)]
    >>> frames = [pl.DataFrame(rows, schema=["item", "rater", "label"], orient="row") for rows in (before, after)]
    >>> result = compare_groups(*frames, labels=["A", "B"], coefficient="cohen_kappa", names=["before", "after"])
    >>> result.select(pl.col("estimate_first", "estimate_second", "difference").round(2)).row(0)
    (0.0, 0.5, -0.5)
    """
    (chosen,), setting = chosen_coefficients([coefficient]), label_setting(labels, scale, weights)
    errors = errors_of(confidence, interval_method, replicates, seed)
    if isinstance(names, str) or len(names) != 2 or names[0] == names[1]:
        raise StatsError(f"The two frames need two different names, found {names!r}. Pass a list of two texts.")
    together = _together(first_ratings, second_ratings)
    raters = distinct_raters(together)
    n_first = sum(rater.startswith(SIDES[0]) for rater in raters)
    patterns = long_patterns(together, labels=labels, raters=raters)
    joint, groups = _parts_of(patterns, n_first, by_rater=chosen.by_rater)
    points = [compute_point_estimates(chosen, part.tables, setting) for part in groups]
    why = [
        why_undefined(name, chosen, point, part.tables, setting)
        for name, part, point in zip(names, groups, points, strict=True)
    ]
    n_common = int(joint.pattern_items[0] @ (groups[0].kept & groups[1].kept))
    row: dict[str, Any] = {"coefficient": coefficient, "first": names[0], "second": names[1]}
    row |= {"n_items": int(joint.n[0]), "n_common": n_common}

    def difference(some: CountTables) -> FloatArray:
        first_estimate, second_estimate = (part.estimate(some, chosen, setting) for part in groups)
        return first_estimate - second_estimate

    return pl.DataFrame([row | difference_of(points, why, difference, joint, errors)], schema=SCHEMA)


def _together(first: Any, second: Any) -> pl.DataFrame:
    """Join both frames into one. A prefix tells the frame of each rater."""
    frames = [collect(ratings_frame(ratings)) for ratings in (first, second)]
    if any(N_ITEMS in frame.columns for frame in frames):
        frames = [frame if N_ITEMS in frame.columns else frame.with_columns(n_items=pl.lit(1)) for frame in frames]
    raters = [pl.format(side + ": {}", pl.col("rater")).alias("rater") for side in SIDES]
    return pl.concat(
        frame.with_columns(pl.col("item").cast(pl.String), rater, pl.col("^n_items$").cast(pl.Int64))
        for frame, rater in zip(frames, raters, strict=True)
    )


@dataclass(frozen=True)
class _GroupTerm:
    """The ratings of one frame: their tables, and which rows (Q,) and patterns (P,) of the joint tables they have."""

    tables: CountTables
    rows: npt.NDArray[np.bool_]
    kept: npt.NDArray[np.bool_]

    def estimate(self, joint: CountTables, coefficient: Coefficient, setting: LabelSetting) -> FloatArray:
        """Compute the coefficient of this frame's ratings of the items in `joint` (B,)."""
        own = replace(self.tables, items=joint.items[:, self.rows], pattern_items=joint.pattern_items[:, self.kept])
        values = coefficient.compute(own, setting).estimate
        if joint.left_out is None:
            return values
        base, pattern = joint.left_out
        values, inside = values[base], self.kept[pattern]
        left_out = base[inside], (np.cumsum(self.kept) - 1)[pattern[inside]]
        values[inside] = coefficient.compute(replace(own, left_out=left_out), setting).estimate
        return values


def _parts_of(
    patterns: RatingPatterns, n_first: int, *, by_rater: bool
) -> tuple[CountTables, tuple[_GroupTerm, _GroupTerm]]:
    """Return the joint tables, from which items are drawn, and the part of each frame. Raters from `n_first` on are
    of the second frame. Without `by_rater` rater identity is dropped, and items with equal counts are one pattern."""
    inside = patterns.rater < n_first
    C_1, C_2, row_of = sides_of(patterns, inside)
    joint = tables_of_rows(C_1 + C_2, row_of, patterns.n_items)
    if not by_rater:
        joint = without_raters(joint)
        patterns = replace(patterns, pattern=NO_CODES, rater=NO_CODES, label=NO_CODES)
    ends = (0, n_first, patterns.n_raters)
    first, second = (
        _part(joint, C, patterns, start, stop) for C, start, stop in zip((C_1, C_2), ends, ends[1:], strict=False)
    )
    return joint, (first, second)


def _part(joint: CountTables, C: IntArray, patterns: RatingPatterns, start: int, stop: int) -> _GroupTerm:
    """Return the part of the raters with codes from `start` to below `stop`. C (Q, k): their counts."""
    rows = C.sum(axis=1) > 0
    kept = rows[joint.row_of]
    own = (patterns.rater >= start) & (patterns.rater < stop)
    tables = CountTables(
        C=C[rows].astype(float),
        items=joint.items[:, rows],
        row_of=(np.cumsum(rows) - 1)[joint.row_of[kept]],
        pattern_items=joint.pattern_items[:, kept],
        pattern=(np.cumsum(kept) - 1)[patterns.pattern[own]],
        rater=patterns.rater[own] - start,
        label=patterns.label[own],
        n_raters=stop - start,
    )
    return _GroupTerm(tables, rows, kept)

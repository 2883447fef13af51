"""Compute the agreement in many windows of items, such as days, weeks or batches. Windows may overlap."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from stats.agreement.coefficients.coefficient import Coefficient
from stats.agreement.count_tables import CountTables
from stats.agreement.inference.estimates import FIGURES, compute_estimates, one_set
from stats.agreement.inference.interval_methods import ErrorOptions, check_error_options
from stats.agreement.inference.reason_sentences import detail_of, needs_detail
from stats.agreement.overall import SCHEMA, chosen_coefficients, rows_of, weights_name
from stats.agreement.weights import LabelSetting, Weights, label_setting
from stats.arrays import FloatArray, IntArray
from stats.counts import distinct_raters
from stats.distinct_keys import distinct_keys
from stats.errors import StatsError
from stats.frames import collect
from stats.patterns import NO_CODES, RatingPatterns, counts_of
from stats.ratings import check_ratings, list_names, ratings_error

if TYPE_CHECKING:
    from scipy.sparse import csr_array

MAX_CELLS = 2_000_000  # cells (window, count row) that are computed together


def agreement_by_window(
    ratings: Any,
    windows: pl.DataFrame,
    *,
    labels: Sequence[str],
    scale: str = "nominal",
    weights: Weights = None,
    coefficients: Sequence[str] | None = None,
    confidence: float = 0.95,
    members: pl.DataFrame | None = None,
) -> pl.DataFrame:
    """Compute `agreement` of the items of each window. The columns are window, which sorts the rows, and its own.

    windows has the columns window (any type), item (an item of the ratings, once in a window) and n_items (1 or more,
    used instead of n_items of the ratings). The figures are those of `agreement` on the items of the window, but for
    rounding. With many windows it takes a tenth of the time, because the ratings are coded once, and less where no
    coefficient asks who gave which label: then all windows are computed together.

    Windows that overlap, such as rolling ones, can be built of units, such as days: then windows has the column unit
    instead of window, and members (window, unit) says what each window consists of. Items are counted once a unit.

    Raises StatsError as `agreement` does, and for an item of a window without ratings.

    >>> rows = [(i, r, l) for i, pair in enumerate(["AA", "AB", "BB"]) for r, l in zip("xy", pair)]
    >>> ratings = pl.DataFrame(rows, schema=["item", "rater", "label"], orient="row")
    >>> windows = pl.DataFrame({"window": [1, 1, 2, 2], "item": [0, 1, 1, 2], "n_items": [1, 1, 1, 3]})
    >>> result = agreement_by_window(ratings, windows, labels=["A", "B"], coefficients=["percent_agreement"])
    >>> result.select("window", "estimate", "n_items").rows()
    [(1, 0.5, 2), (2, 0.75, 4)]
    """
    chosen, setting = chosen_coefficients(coefficients), label_setting(labels, scale, weights)
    errors = check_error_options(confidence, "t", 1000, 0, None)
    raters = distinct_raters(ratings)
    items, patterns = _pattern_per_item(ratings, labels, raters)
    unit = "window" if members is None else "unit"
    placed = windows.join(items, on="item", how="left").sort(unit, "place")
    if placed["place"].null_count():
        unrated = placed.filter(pl.col("place").is_null())["item"].cast(pl.String)
        raise StatsError(f"Items of a window must have ratings, found {list_names(unrated)} without. Leave them out.")
    sets, names = _window_sets(placed, members, unit, patterns)
    blocks = list(_rows(sets, chosen, setting, errors))
    if not blocks:
        return pl.DataFrame(schema={"window": windows.schema["window"], **SCHEMA})
    rows = pl.concat(blocks).join(names, on="number", maintain_order="left").sort("number", maintain_order=True)
    return rows.select("window", *SCHEMA)


@dataclass(frozen=True)
class _WindowSets:
    """The items of windows: entries (unit, place, n_items), sorted by unit, at their places in `patterns`.

    members (windows, units): 1 where the unit belongs to the window.
    """

    patterns: RatingPatterns
    unit: IntArray
    place: IntArray
    n_items: IntArray
    members: "csr_array"

    def of(self, window: int) -> RatingPatterns:
        """Return the patterns of one window."""
        inside = np.isin(self.unit, self.members.indices[slice(*self.members.indptr[window : window + 2])])
        places, _, of_place = distinct_keys(self.place[inside])
        n_items = np.bincount(of_place, weights=self.n_items[inside]).astype(np.int64)
        return _select(self.patterns, places, n_items)

    def n_raters(self) -> IntArray:
        """Count the raters of each window."""
        from scipy.sparse import csr_array

        r = self.patterns.n_raters
        raters = csr_array(
            (np.ones(len(self.patterns.pattern)), (self.patterns.pattern, self.patterns.rater)),
            shape=(len(self.patterns.n_items), r),
        )
        in_unit = self._by_unit(self.place, np.ones(len(self.place)), len(self.patterns.n_items)) @ raters
        n_raters: IntArray = np.diff((self.members @ in_unit).indptr).astype(np.int64)
        return n_raters

    def by_row(self, row_of: IntArray, n_rows: int) -> "csr_array":
        """Count the items (units, Q) of each count row; row_of says which one each pattern has."""
        return self._by_unit(row_of[self.place], self.n_items, n_rows)

    def _by_unit(self, column: IntArray, values: FloatArray | IntArray, n_columns: int) -> "csr_array":
        from scipy.sparse import csr_array

        return csr_array((values.astype(float), (self.unit, column)), shape=(self.members.shape[1], n_columns))


def _window_sets(
    placed: pl.DataFrame, members: pl.DataFrame | None, unit: str, patterns: RatingPatterns
) -> tuple[_WindowSets, pl.DataFrame]:
    """Return the items of windows, and the windows by their `number`."""
    from scipy.sparse import csr_array  # here, because it takes long to import

    units = placed.select(pl.col(unit).unique().sort()).with_row_index("unit_number")
    if members is None:
        members = units.select("window", unit=pl.col("window"))
    inside = members.join(units, left_on="unit", right_on=unit, how="inner")  # units without items are left out
    names = inside.select(pl.col("window").unique().sort()).with_row_index("number")
    placed_in = inside.join(names, on="window").sort("number", "unit_number")
    row, column = (placed_in[name].to_numpy().astype(np.int64) for name in ("number", "unit_number"))
    entries = placed.join(units, on=unit, maintain_order="left")
    units_of, place, n_items = (
        entries[name].to_numpy().astype(np.int64) for name in ("unit_number", "place", "n_items")
    )
    inside_of = csr_array((np.ones(len(row)), (row, column)), shape=(names.height, units.height))
    return _WindowSets(patterns, units_of, place, n_items, inside_of), names


def _rows(
    sets: _WindowSets, chosen: Sequence[Coefficient], setting: LabelSetting, errors: ErrorOptions
) -> Iterator[pl.DataFrame]:
    """Yield the rows of blocks of windows (`number` of the window, SCHEMA).

    Where no coefficient asks who gave which label, all windows with two raters or more are computed together.
    """
    n_raters = sets.n_raters()
    together = np.zeros(len(n_raters), dtype=bool) if any(c.by_rater for c in chosen) else n_raters >= 2
    for number in np.flatnonzero(~together):
        rows = [{"number": number, **row} for row in rows_of(sets.of(int(number)), chosen, setting, errors)]
        yield pl.DataFrame(rows, schema={"number": pl.UInt32, **SCHEMA})
    C, row_of = counts_of(sets.patterns)
    by_row = sets.by_row(row_of, len(C))
    numbers, size = np.flatnonzero(together).astype(np.int64), max(1, MAX_CELLS // max(len(C), 1))
    for block in (numbers[start : start + size] for start in range(0, len(numbers), size)):
        items = sets.members[block] @ by_row
        items.sort_indices()
        yield _rows_together(C, items, n_raters[block], block, chosen, setting, errors)


def _rows_together(
    C: IntArray,
    items: FloatArray,
    n_raters: IntArray,
    numbers: IntArray,
    chosen: Sequence[Coefficient],
    setting: LabelSetting,
    errors: ErrorOptions,
) -> pl.DataFrame:
    """Return the rows of windows that hold `items` (windows, Q) of each count row of C."""
    tables = CountTables(C.astype(float), items, np.arange(len(C)), items, NO_CODES, NO_CODES, NO_CODES, 2)
    sizes = {
        "n_items": np.rint(items.sum(axis=1)).astype(np.int64),
        "n_raters": n_raters,
        "n_ratings": np.rint(items @ tables.m).astype(np.int64),
    }
    frames = []
    for order, coefficient in enumerate(chosen):
        results = compute_estimates(coefficient, tables, setting, errors)
        detail = np.full(len(numbers), None, dtype=object)
        for i in np.flatnonzero(needs_detail(coefficient, results, tables)):
            own = replace(tables, items=items[i : i + 1], pattern_items=items[i : i + 1], n_raters=int(n_raters[i]))
            detail[i] = detail_of(coefficient, one_set(results, int(i)), own, setting)
        figures = pl.DataFrame({name: getattr(results, name) for name in FIGURES}).fill_nan(None)
        frames.append(
            figures.with_columns(
                pl.lit(coefficient.name).alias("name"),
                pl.lit(setting.scale).alias("scale"),
                pl.lit(weights_name(coefficient, setting)).alias("weights"),
                pl.lit(results.method).alias("interval_method"),
                pl.lit(errors.confidence).alias("confidence"),
                pl.lit(tables.n_labels).alias("n_labels"),
                pl.lit(order).alias("order"),
                pl.Series("reason", results.reason.tolist(), dtype=pl.String),
                pl.Series("detail", detail.tolist(), dtype=pl.String),
                pl.Series("number", numbers.astype(np.uint32)),
                *(pl.Series(name, values) for name, values in sizes.items()),
            )
        )
    rows = pl.concat(frames).sort("number", "order")
    return rows.select("number", *(pl.col(name).cast(dtype) for name, dtype in SCHEMA.items()))


def _pattern_per_item(
    ratings: Any, labels: Sequence[str], raters: Sequence[str]
) -> tuple[pl.DataFrame, RatingPatterns]:
    """Return the items (item, place), and one pattern for each item, in the order of `place`."""
    frame = check_ratings(ratings, labels, raters)
    rated = collect(frame)
    items = rated.select("item").unique().sort("item").with_row_index("place")
    coded = rated.join(items, on="item").select(
        pl.col("place").cast(pl.Int64),
        *(
            pl.col(name).replace_strict(list(names), range(len(names)), default=None, return_dtype=pl.Int64)
            for name, names in (("rater", raters), ("label", labels))
        ),
    )
    if (
        coded.height < rated.height
        or coded["label"].null_count()
        or coded.select("place", "rater").is_duplicated().any()
    ):
        raise ratings_error(frame, labels, raters)
    place, rater, label = (column.to_numpy() for column in coded.sort("place", "rater"))
    return items, RatingPatterns(np.ones(items.height, np.int64), place, rater, label, len(raters), len(labels))


def _select(patterns: RatingPatterns, places: IntArray, n_items: IntArray) -> RatingPatterns:
    """Keep the patterns at these places (ascending), with these numbers of items, and the raters in them."""
    new_place = np.full(len(patterns.n_items), -1)
    new_place[places] = np.arange(len(places))
    kept = new_place[patterns.pattern] >= 0
    raters, _, rater = distinct_keys(patterns.rater[kept])
    return RatingPatterns(
        n_items, new_place[patterns.pattern[kept]], rater, patterns.label[kept], len(raters), patterns.n_labels
    )

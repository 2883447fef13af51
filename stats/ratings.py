"""What ratings are: a frame of item, rater, label with each rating once; and what is wrong with others.

A row's item may stand for several items that were rated alike, the number of which is then in a further column
`n_items`. This module knows that column; elsewhere it is only summed.
"""

from collections.abc import Iterable, Sequence
from typing import Any

import narwhals as nw

from stats.errors import StatsError

COLUMNS = ("item", "rater", "label")
N_ITEMS = "n_items"


def frame_of(ratings: Any) -> nw.LazyFrame[Any]:
    """The ratings as a lazy narwhals frame of item, rater, label, and n_items if it is there.

    `rater` and `label` must be text, `n_items` whole numbers; `item` may be of any type that can be grouped by. Raises
    StatsError for anything else.
    """
    try:
        frame: nw.LazyFrame[Any] = nw.from_native(ratings).lazy()
    except TypeError as error:
        raise StatsError(
            f"Ratings must be a polars, DuckDB or PySpark frame, found {type(ratings).__name__}. "
            "Pass one with the columns item, rater, label."
        ) from error
    schema = frame.collect_schema()
    missing = [name for name in COLUMNS if name not in schema]
    if missing:
        raise StatsError(
            f"Ratings must have the columns item, rater, label, found {list(schema)}. Add or rename {missing[0]}."
        )
    for name in ("rater", "label"):
        if schema[name] not in (nw.String, nw.Categorical, nw.Enum):
            raise StatsError(f"The column {name} must be text, found {schema[name]}. Cast it to text.")
    n_items = [nw.col(N_ITEMS).cast(nw.Int64)] if N_ITEMS in schema else []
    if n_items and not schema[N_ITEMS].is_integer():
        raise StatsError(f"The column n_items must be whole numbers, found {schema[N_ITEMS]}. Cast it to integers.")
    return frame.select(nw.col("item"), nw.col("rater", "label").cast(nw.String), *n_items)


def items_of(frame: nw.LazyFrame[Any]) -> list[str]:
    """The columns of `frame_of` that say how many items a row's item stands for: n_items, or none where it is one."""
    return [name for name in frame.collect_schema().names() if name == N_ITEMS]


def checked(ratings: Any, labels: Sequence[str], raters: Sequence[str]) -> nw.LazyFrame[Any]:
    """As `frame_of`, once labels, raters (lists of different texts, one label at least) and n_items are in order."""
    for what, names in (("labels", labels), ("raters", raters)):
        if isinstance(names, str) or not all(isinstance(name, str) for name in names):
            raise StatsError(f"{what} must be a list of texts, found {names!r}. List them in their order.")
        if len(set(names)) < len(names):
            twice = next(name for name in names if list(names).count(name) > 1)
            raise StatsError(f"{what} must differ, found {twice!r} twice. List each once.")
    if not labels:
        raise StatsError("At least one label must be declared, found none. List the labels in their order.")
    frame = frame_of(ratings)
    if items_of(frame):
        _check_n_items(frame)
    return frame


def _check_n_items(frame: nw.LazyFrame[Any]) -> None:
    """Raises StatsError unless each item has one number of items, 1 or more."""
    number = nw.col(N_ITEMS).fill_null(0)
    by_item = frame.group_by("item").agg(number.min().alias("least"), number.max().alias("most"))
    wrong = by_item.filter((nw.col("least") < 1) | (nw.col("least") != nw.col("most")))
    found = wrong.collect(backend="polars").to_native()
    if found.is_empty():
        return
    item, least, most = found.sort("item").row(0)
    if least < 1:
        shown = least or "0 or none"
        raise StatsError(
            f"An item stands for 1 item or more, found n_items {shown} at item {item!r}. Drop its rows or repair them."
        )
    raise StatsError(
        f"An item has one n_items, found {least} and {most} at item {item!r}. Give all its rows the same number."
    )


def explained(frame: nw.LazyFrame[Any], labels: Sequence[str], raters: Sequence[str]) -> StatsError:
    """What is wrong with these ratings: a second look, taken only once the counts did not add up."""
    for name in COLUMNS:
        nulls = frame.filter(nw.col(name).is_null()).collect(backend="polars").to_native()
        if nulls.height:
            first = nulls.sort(COLUMNS).row(0, named=True)
            return StatsError(
                f"Ratings must have no null, found {nulls.height} in the column {name}, first {first}. "
                "Drop or repair these rows."
            )
    for name, declared in (("label", labels), ("rater", raters)):
        seen = frame.select(name).unique().collect(backend="polars").to_native()[name]
        unknown = sorted(set(seen) - set(declared))
        if unknown:
            return StatsError(
                f"Every {name} must be declared, found {some(unknown)} beside {some(declared)}. "
                "Declare it or drop its rows."
            )
    groups = frame.group_by("item", "rater").agg(nw.len().alias("times")).filter(nw.col("times") > 1)
    twice = groups.collect(backend="polars").to_native().sort("item", "rater")
    if twice.is_empty():
        return StatsError("The ratings changed while they were counted. Count a fixed copy of them.")
    first = twice.row(0, named=True)
    return StatsError(
        f"A rater labels an item once, found rater {first['rater']!r} {first['times']} times on item "
        f"{first['item']!r} ({twice.height} such pairs). Keep one row of each."
    )


def some(names: Iterable[str]) -> str:
    """The first ten names for a message.

    >>> some(["a", "b"]), some([])
    ("'a', 'b'", 'none')
    """
    found = list(names)
    shown = ", ".join(repr(name) for name in found[:10]) or "none"
    return shown if len(found) <= 10 else f"{shown} and {len(found) - 10} more"

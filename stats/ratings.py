"""Check frames of ratings (item, rater, label, each rating once) and say what is wrong with a bad one.

One row may stand for several items that were rated alike. The optional column `n_items` then holds their number. Only
this module checks that column; other modules add it up.
"""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import polars as pl

from stats.errors import StatsError
from stats.frames import LazyRatings, collect, expressions_for

if TYPE_CHECKING:
    import narwhals as nw

COLUMNS = ("item", "rater", "label")
N_ITEMS = "n_items"
INCLUSION = "inclusion_probability"  # of gold items, see `stats.accuracy.gold.gold_weights`
_COLUMNS_READ = (*COLUMNS, N_ITEMS, INCLUSION)


def ratings_frame(ratings: Any) -> LazyRatings:
    """Return the ratings as a lazy frame of item, rater, label, and n_items if there is such a column.

    `rater` and `label` must be text, `n_items` whole numbers. `item` may have any type that an engine can group by; NaN
    is null, as in pandas, and no name of an item.
    The frame is one of polars if `ratings` is in memory or in polars, else one of narwhals.
    Raises StatsError for anything else.
    """
    native = _any_frame(ratings)
    names = native.collect_schema().names()
    missing = [name for name in COLUMNS if name not in names]
    if missing:
        raise StatsError(
            f"Ratings must have the columns item, rater, label, found {names}. Add or rename {missing[0]}."
        )
    frame = _lazy_frame(native)
    ex, schema = expressions_for(frame), frame.collect_schema()
    for name in ("rater", "label"):
        if schema[name] not in (ex.String, ex.Categorical, ex.Enum):
            raise StatsError(f"The column {name} must be text, found {schema[name]}. Cast it to text.")
    n_items = [ex.col(N_ITEMS).cast(ex.Int64)] if N_ITEMS in schema else []
    if n_items and not schema[N_ITEMS].is_integer():
        raise StatsError(f"The column n_items must be whole numbers, found {schema[N_ITEMS]}. Cast it to integers.")
    item = ex.col("item").fill_nan(None) if schema["item"].is_float() else ex.col("item")
    return frame.select(item, ex.col("rater", "label").cast(ex.String), *n_items)


def polars_frame(frame: Any, *, what: str = "Ratings", columns: Sequence[str] = COLUMNS) -> pl.DataFrame:
    """Return the ratings, or the gold labels, as a polars frame. `what` and `columns` are named in errors.

    A polars frame comes back as it is, but that an item NaN is null; of others the columns that this package reads.
    Raises StatsError for what is no frame, and for a column of mixed types.

    >>> import narwhals as nw
    >>> polars_frame(nw.from_dict({"item": ["1"], "label": ["A"], "note": ["-"]}, backend="pyarrow")).rows()
    [('1', 'A')]
    """
    table = frame if isinstance(frame, pl.DataFrame) else _read_columns(frame, what, columns)
    may_have_nan = "item" in table.columns and table.schema["item"].is_float()
    return table.with_columns(pl.col("item").fill_nan(None)) if may_have_nan else table


def _read_columns(frame: Any, what: str, columns: Sequence[str]) -> pl.DataFrame:
    """Return the columns that this package reads as a polars frame."""
    lazy = _lazy_frame(_any_frame(frame, what, columns))
    names = lazy.collect_schema().names()
    return collect(lazy.select([name for name in _COLUMNS_READ if name in names]))


def _any_frame(
    frame: Any, what: str = "Ratings", columns: Sequence[str] = COLUMNS
) -> "pl.DataFrame | LazyRatings | nw.DataFrame[Any]":
    """Return a polars frame as it is, and wrap one of any other library in narwhals."""
    if isinstance(frame, pl.DataFrame | pl.LazyFrame):
        return frame
    import narwhals as nw
    from narwhals.exceptions import DuplicateError

    try:
        native: nw.DataFrame[Any] | nw.LazyFrame[Any] = nw.from_native(frame)
    except TypeError as error:
        raise StatsError(
            f"{what} must be a polars, pandas, Arrow, DuckDB or PySpark frame, found {type(frame).__name__}. "
            f"Pass one with the columns {', '.join(columns)}."
        ) from error
    except DuplicateError as error:
        raise StatsError("Two columns have the same name. Rename or drop one of them.") from error
    return native


def _lazy_frame(frame: "pl.DataFrame | LazyRatings | nw.DataFrame[Any]") -> LazyRatings:
    """Return a frame that can be counted: of a database or cluster lazily, of data in memory as a copy in polars.

    pandas and Arrow have several types of text, and no common way to look up names and to take nulls.
    """
    if isinstance(frame, pl.DataFrame | pl.LazyFrame):
        return frame.lazy()
    import narwhals as nw

    if isinstance(frame, nw.LazyFrame) or frame.implementation.is_polars():
        return frame.lazy()
    return _copied(frame).lazy()


def _copied(frame: "nw.DataFrame[Any]") -> pl.DataFrame:
    """Copy the columns that this package reads to polars; categories as text, so that they sort by name."""
    columns: dict[str, pl.Series] = {}
    for name in (name for name in _COLUMNS_READ if name in frame.columns):
        try:
            columns[name] = frame[name].to_polars()
        except Exception as error:  # each library has its own errors
            kind = "numbers" if name in (N_ITEMS, INCLUSION) else "text"
            raise StatsError(
                f"The column {name} holds values of several types, or of one that is not read. Cast it to {kind}."
            ) from error
    table = pl.DataFrame(columns)
    return table.with_columns(pl.col(pl.Categorical, pl.Enum).cast(pl.String))


def count_items(ratings: pl.DataFrame) -> int:
    """Count the items of ratings or of rating patterns.

    >>> count_items(pl.DataFrame({"item": ["1", "1", "2"], "n_items": [5, 5, 2]}))
    7
    """
    is_weighted = N_ITEMS in ratings.columns
    return int(ratings.unique("item")[N_ITEMS].sum()) if is_weighted else ratings["item"].n_unique()


def n_items_column(frame: LazyRatings) -> list[str]:
    """Return ["n_items"] if the frame from `ratings_frame` has that column, else an empty list."""
    return [name for name in frame.collect_schema().names() if name == N_ITEMS]


def check_ratings(ratings: Any, labels: Sequence[str], raters: Sequence[str]) -> LazyRatings:
    """Check labels, raters and n_items, then return `ratings_frame(ratings)`.

    Labels and raters must be lists of different texts, with at least one label. An item must have one n_items of 1 or
    more. Raises StatsError otherwise.
    """
    for what, names in (("labels", labels), ("raters", raters)):
        check_list(what, names)
        if not all(isinstance(name, str) for name in names):
            raise StatsError(f"{what} must be a list of texts, found {names!r}. List them in their order.")
        if len(set(names)) < len(names):
            twice = next(name for name in names if list(names).count(name) > 1)
            raise StatsError(f"{what} must differ, found {twice!r} twice. List each once.")
    if not labels:
        raise StatsError("At least one label must be declared, found none. List the labels in their order.")
    frame = ratings_frame(ratings)
    if n_items_column(frame):
        _check_n_items(frame)
    return frame


def check_list(what: str, names: object) -> None:
    """Raise StatsError for what is no list or tuple: a text, a set, whose order is chance, or a column.

    >>> check_list("labels", ["low", "high"])
    """
    if isinstance(names, str) or not isinstance(names, Sequence):
        text_or_type = repr(names) if isinstance(names, str) else f"a {type(names).__name__}"
        hint = f"Write list({what})." if hasattr(names, "__array__") else "List them in their order."
        raise StatsError(f"{what} must be a list of texts, found {text_or_type}. {hint}")


def _check_n_items(frame: LazyRatings) -> None:
    """Raise StatsError unless each item has one number of items, 1 or more."""
    ex = expressions_for(frame)
    number = ex.col(N_ITEMS).fill_null(0)
    by_item = frame.group_by("item").agg(number.min().alias("least"), number.max().alias("most"))
    wrong_items = collect(by_item.filter((ex.col("least") < 1) | (ex.col("least") != ex.col("most"))))
    if wrong_items.is_empty():
        return
    item, least, most = wrong_items.sort("item").row(0)
    if least < 1:
        shown = least or "0 or none"
        raise StatsError(
            f"An item stands for 1 item or more, found n_items {shown} at item {item!r}. Drop its rows or repair them."
        )
    raise StatsError(
        f"An item has one n_items, found {least} and {most} at item {item!r}. Give all its rows the same number."
    )


def ratings_error(frame: LazyRatings, labels: Sequence[str], raters: Sequence[str]) -> StatsError:
    """Return the error that says what is wrong with these ratings. Called only after their counts did not add up."""
    ex = expressions_for(frame)
    for name in COLUMNS:
        nulls = collect(frame.filter(ex.col(name).is_null()))
        if nulls.height:
            first = nulls.sort(COLUMNS).row(0, named=True)
            return StatsError(
                f"Ratings must have no null, found {nulls.height} in the column {name}, first {first}. "
                "Drop or repair these rows."
            )
    for name, names in (("label", labels), ("rater", raters)):
        seen = collect(frame.select(name).unique())[name]
        unknown = sorted(set(seen) - set(names))
        if unknown:
            return StatsError(
                f"Every {name} must be declared, found {list_names(unknown)} beside {list_names(names)}. "
                "Declare it or drop its rows."
            )
    groups = frame.group_by("item", "rater").agg(ex.len().alias("times")).filter(ex.col("times") > 1)
    twice = collect(groups).sort("item", "rater")
    if twice.is_empty():
        return StatsError("The ratings changed while they were counted. Count a fixed copy of them.")
    first = twice.row(0, named=True)
    return StatsError(
        f"A rater labels an item once, found rater {first['rater']!r} {first['times']} times on item "
        f"{first['item']!r} (such pairs: {twice.height}). Keep one row of each."
    )


def list_names(names: Iterable[str]) -> str:
    """Quote the first ten names for a message.

    >>> list_names(["a", "b"]), list_names([])
    ("'a', 'b'", 'none')
    """
    quoted = [repr(name) for name in names]
    shown = ", ".join(quoted[:10]) or "none"
    return shown if len(quoted) <= 10 else f"{shown} and {len(quoted) - 10} more"

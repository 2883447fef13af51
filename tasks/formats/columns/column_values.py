"""Judge by its values which role a column may have: does it differ between the raters of an item, is it text?

Frames have columns c0, c1, ... as in tasks.formats.parsing.text_table. Columns are named by their position.
"""

from collections.abc import Sequence

import polars as pl

from tasks.formats.parsing.cells import tidy

MAX_JUDGED = 100_000  # rows of a table by which its columns are judged, as whole items
MAX_LABELS = 50
MAX_LABEL_LENGTH = 100
MAX_STEP = 100  # numbers up to this one may be steps of a scale, even if no number repeats


def judged(frame: pl.DataFrame, item: int) -> pl.DataFrame:
    """Return all rows of some of the items if the table is large, else all rows. Blank cells are null."""
    if frame.height > MAX_JUDGED:
        part = frame.filter(pl.col(f"c{item}").hash() % (frame.height // MAX_JUDGED + 1) == 0)
        frame = part if part.height > MAX_JUDGED // 100 else frame
    return frame.with_columns(tidy(pl.exclude("row_number")))


def has_several_raters(frame: pl.DataFrame, item: int, rater: int) -> bool:
    """Check whether some item has two raters or more."""
    return _most_within(frame, item, rater) > 1


def differs_within(frame: pl.DataFrame, item: int, column: int) -> bool:
    """Check whether some item has two values of the column."""
    return _most_within(frame, item, column) > 1


def repeats_across(frame: pl.DataFrame, item: int, column: int) -> bool:
    """Check whether some value stands in two items."""
    return _most_within(frame, column, item) > 1


def is_text(frame: pl.DataFrame, item: int, column: int) -> bool:
    """Check whether the column holds long texts, most of them different from item to item."""
    pairs = frame.select(f"c{item}", value=f"c{column}").drop_nulls()
    pairs = pairs.filter(~pl.col("value").str.starts_with("[")).unique()  # sets of labels are long, too
    values = pairs["value"]
    if len(values) < 3 or 2 * values.n_unique() <= len(values):
        return False
    return bool((values.str.len_chars() > MAX_LABEL_LENGTH).mean() > 0.5)  # type: ignore[operator]


def is_text_of_item(frame: pl.DataFrame, item: int, column: int) -> bool:
    """Check whether each item has a distinct value, whoever rates it."""
    pairs = frame.select(f"c{item}", f"c{column}").drop_nulls().unique()
    return pairs.height >= 5 and not pairs[f"c{item}"].is_duplicated().any() and pairs[f"c{column}"].is_unique().all()


def label_like(frame: pl.DataFrame, item: int, column: int, *, several: bool) -> bool:
    """Check whether the values look like labels.

    They are few and short, and used for several items or steps of a scale. With `several` raters of an item they differ
    between these.
    """
    values = frame[f"c{column}"].drop_nulls()
    n_values = values.n_unique()
    if n_values < 2 or n_values > MAX_LABELS or (values.str.len_chars().max() or 0) > MAX_LABEL_LENGTH:  # type: ignore[operator]
        return False
    if several and not differs_within(frame, item, column):
        return False
    return _is_scale(values) or repeats_across(frame, item, column)


def is_share(frame: pl.DataFrame, column: int) -> bool:
    """Check whether all values are numbers from 0 to 1 and some are fractions: a probability, no label."""
    numbers = frame[f"c{column}"].drop_nulls().cast(pl.Float64, strict=False)
    inside = numbers.is_between(0, 1).fill_null(False).all()
    return inside and bool((numbers != numbers.floor()).any())


def has_fractions(values: pl.Series) -> bool:
    """Check whether all values are numbers and some are fractions: something that was measured, no id."""
    numbers = values.cast(pl.Float64, strict=False)
    return numbers.null_count() == values.null_count() and bool((numbers != numbers.floor()).any())


def same_answers(frame: pl.DataFrame, first: int, second: int) -> bool:
    """Check whether two columns hold the same answers in other words: each value of one goes with one value of the
    other.
    """
    pairs = frame.select(f"c{first}", f"c{second}").drop_nulls().unique()
    return bool(pairs[f"c{first}"].is_unique().all() and pairs[f"c{second}"].is_unique().all())


def superseded_share(frame: pl.DataFrame, keys: Sequence[int]) -> float:
    """Return the share of rows that have the same keys as another one before them."""
    rows = frame.select(f"c{key}" for key in keys).drop_nulls()
    return 1 - rows.n_unique() / rows.height if rows.height else 0.0


def telling_apart(frame: pl.DataFrame, keys: Sequence[int], candidates: Sequence[int]) -> list[int]:
    """Return the fewest of the candidates that with the keys differ in every row; none if all do not.

    A candidate has a value in each row, and most of its values come again.
    """
    more = [
        i
        for i in candidates
        if i not in keys and not frame[f"c{i}"].null_count() and 2 * frame[f"c{i}"].n_unique() <= frame.height
    ]
    if not more or superseded_share(frame, [*keys, *more]):
        return []
    for i in more[::-1]:
        if not superseded_share(frame, [*keys, *(j for j in more if j != i)]):
            more.remove(i)
    return more


def _is_scale(values: pl.Series) -> bool:
    numbers = values.cast(pl.Float64, strict=False)
    return numbers.null_count() == 0 and bool((numbers.abs() <= MAX_STEP).all())


def _most_within(frame: pl.DataFrame, group: int, column: int) -> int:
    counts = frame.select(f"c{group}", f"c{column}").drop_nulls().unique().group_by(f"c{group}").len()
    return max(counts["len"].to_list(), default=0)

"""Work on each distinct text once: raters, labels and questions repeat."""

from collections.abc import Callable, Sequence

import polars as pl

SAMPLED = 1_000


def distinct(frame: pl.DataFrame, name: str) -> pl.Series | None:
    """Return the distinct texts of a column if most of its rows repeat another row, else None.

    A sample of the rows decides. To count the distinct texts of a column of items would cost as much as the work on
    each row.
    """
    return distinct_of_each(frame, [name])[name]


def distinct_of_each(frame: pl.DataFrame, names: Sequence[str]) -> dict[str, pl.Series | None]:
    """Return `distinct` of each of these columns, one column on each core.

    >>> table = pl.DataFrame({"rater": ["ann", "ann", "ann"], "item": ["1", "2", "3"]})
    >>> texts = distinct_of_each(table, ["rater", "item"])
    >>> texts["rater"].to_list(), texts["item"]
    (['ann'], None)
    """
    # Asked as expressions: a column of one value is then not written out.
    sampled = frame.select(pl.col(name).gather_every(max(1, frame.height // SAMPLED)) for name in names)
    repeating = [column.name for column in sampled if 2 * column.n_unique() < len(column)]
    texts = frame.select(pl.col(name).unique().implode() for name in repeating)
    return {name: texts[name].explode() if name in repeating else None for name in names}


def changed(name: str, change: Callable[[pl.Expr], pl.Expr], texts: pl.Series | None) -> pl.Expr:
    """Apply an element-wise change to the texts of a column. `texts` are its `distinct` texts.

    >>> table = pl.DataFrame({"text": ["a ", "a ", "a ", "b"]})
    >>> table.select(changed("text", lambda text: text.str.strip_chars(), distinct(table, "text")))["text"].to_list()
    ['a', 'a', 'a', 'b']
    """
    if texts is None:
        return change(pl.col(name))
    new = texts.to_frame().select(change(pl.col(name))).to_series()
    if new.equals(texts, null_equal=True):
        return pl.col(name)
    return pl.col(name).replace_strict(texts, new, return_dtype=pl.String)

"""Work on each distinct text once: raters, labels and questions repeat."""

from collections.abc import Callable

import polars as pl

SAMPLED = 1_000


def distinct(frame: pl.DataFrame, name: str) -> pl.Series | None:
    """Return the distinct texts of a column if most of its rows repeat another row, else None.

    A sample of the rows decides. To count the distinct texts of a column of items would cost as much as the work on
    each row.
    """
    column = pl.col(name)  # asked as an expression: a column of one value is then not written out
    sample = frame.select(column.gather_every(max(1, frame.height // SAMPLED))).to_series()
    if 2 * sample.n_unique() >= len(sample):
        return None
    return frame.select(column.unique()).to_series()


def changed(frame: pl.DataFrame, name: str, change: Callable[[pl.Expr], pl.Expr]) -> pl.Expr:
    """Apply an element-wise change to the texts of a column.

    >>> table = pl.DataFrame({"text": ["a ", "a ", "a ", "b"]})
    >>> table.select(changed(table, "text", lambda text: text.str.strip_chars()))["text"].to_list()
    ['a', 'a', 'a', 'b']
    """
    texts = distinct(frame, name)
    if texts is None:
        return change(pl.col(name))
    new = texts.to_frame().select(change(pl.col(name))).to_series()
    if new.equals(texts, null_equal=True):
        return pl.col(name)
    return pl.col(name).replace_strict(texts, new, return_dtype=pl.String)

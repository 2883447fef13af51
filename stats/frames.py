"""Compute on a frame of ratings in the engine that holds it: polars directly, any other engine through narwhals.

narwhals has the expressions of polars under the same names. It takes a sixteenth of `agree` on a small file to load,
and a polars frame does not need it.
"""

from typing import TYPE_CHECKING, Any, TypeAlias

import polars as pl

if TYPE_CHECKING:
    import narwhals as nw

LazyRatings: TypeAlias = "pl.LazyFrame | nw.LazyFrame[Any]"


def expressions_for(frame: LazyRatings) -> Any:
    """Return the module whose expressions (`col`, `lit`, `when`, `len`, types) this frame takes: polars or narwhals.

    >>> expressions_for(pl.LazyFrame({"item": ["1"]})).__name__
    'polars'
    """
    if isinstance(frame, pl.LazyFrame):
        return pl
    import narwhals as nw

    return nw


def collect(frame: LazyRatings) -> pl.DataFrame:
    """Compute the frame and return it in polars."""
    if isinstance(frame, pl.LazyFrame):
        return frame.collect()
    collected: pl.DataFrame = frame.collect(backend="polars").to_native()
    return collected

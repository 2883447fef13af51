"""Find the texts whose characters can be counted: those of one known length that no span ends behind."""

import polars as pl

from stats.regions.character_alpha import LENGTHS
from stats.regions.span_matching import DONE


def known_lengths(lengths: pl.DataFrame, spans: pl.DataFrame) -> pl.DataFrame:
    """Return the lengths (LENGTHS) of the texts that have one length only, and that no span ends behind.

    `lengths` may have several rows for an item, one for each file that holds its text.
    """
    unique = lengths.select(pl.col(name).cast(dtype) for name, dtype in LENGTHS.items()).drop_nulls().unique()
    unambiguous = unique.filter(pl.len().over("item") == 1).sort("item")
    ends = spans.group_by("item").agg(pl.col("end").max())
    with_end = unambiguous.join(ends, on="item", how="left", maintain_order="left")
    return with_end.filter(pl.col("end").fill_null(0) <= pl.col("length")).select(*LENGTHS)


def n_left_out(lengths: pl.DataFrame, usable: pl.DataFrame, assignments: pl.DataFrame) -> int:
    """Count the texts that two raters did and a file holds, but whose length is not among the `usable` ones."""
    shared = assignments.select(*DONE).unique().filter(pl.len().over("item") > 1)
    with_text = shared.join(lengths.drop_nulls("length"), on="item", how="semi")
    return with_text.join(usable, on="item", how="anti")["item"].n_unique()

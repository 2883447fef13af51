"""Say what decides how the ratings of datasets count."""

from dataclasses import dataclass

import polars as pl

from tasks.ingest.ingest_rules import IngestRules


@dataclass(frozen=True)
class CountRules:
    """What decides how rows count, besides the source.

    `kinds` are the declared kinds of raters, `n_last` is the size of the window of the last items, `slices` are the
    columns by which items are counted, too.
    """

    ingest: IngestRules
    kinds: pl.DataFrame
    timezone: str
    n_last: int
    slices: tuple[str, ...] = ()

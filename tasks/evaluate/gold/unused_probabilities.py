"""Say that the probabilities with which gold items were drawn count only in a file of gold alone.

This module loads no models: commands on single files import it.
"""

import polars as pl

from stats.ratings import INCLUSION

UNUSED_PROBABILITIES = (
    f"The column {INCLUSION} is not used: beside ratings and in projects all gold counts alike, unless `kappaflow"
    f" audit` drew it. `kappaflow accuracy RATINGS --gold FILE` uses {INCLUSION}, if FILE has the gold alone."
)


def probabilities_note(metadata: pl.DataFrame) -> list[str]:
    """Say so if the metadata of the items hold such probabilities.

    >>> [len(probabilities_note(pl.DataFrame({"key": [key]}))) for key in ("language", INCLUSION)]
    [0, 1]
    """
    has_them = metadata["key"].str.to_lowercase().eq(INCLUSION).any()
    return [UNUSED_PROBABILITIES] if has_them else []

"""Find the windows whose stored figures are still valid, because their ratings and settings did not change.

Agreement and labels of a window depend only on the labels that people gave to its items, and on the settings. So a late
day, an edit or a deletion changes the windows of that day, and all others keep their rows. Accuracies also depend on
the last evaluation, which changes with each batch. So each run computes the accuracies of all windows.
"""

from collections.abc import Mapping
from hashlib import blake2b

import polars as pl

from stats.trends.window_digests import window_digests
from tasks.monitor.windows.people_in_windows import PeopleInWindows
from tasks.monitor.windows.window_spans import WINDOW, ItemWindows

DIGEST: dict[str, pl.DataType | type[pl.DataType]] = {"results": pl.String, **WINDOW, "digest": pl.String}


def digested_windows(
    people: PeopleInWindows,
    labels: tuple[str, ...],
    windows: ItemWindows,
    settings: Mapping[str, str],
    stored: pl.DataFrame | None,
) -> pl.DataFrame:
    """Return the digest of each window for each kind of results: window (its number), *DIGEST, is_kept.

    settings: kind of results -> hash of what else its figures depend on. stored (DIGEST): as the last run stored them;
    is_kept says which windows have the same digest there. Without `stored` none has.
    """
    contents = window_digests(people.patterns, people.raters, labels, people.units)
    frames = [
        windows.windows.with_columns(
            results=pl.lit(results),
            digest=pl.Series([_hash(settings[results], content) for content in contents], dtype=pl.String),
        )
        for results in settings
    ]
    digests = pl.concat(frames).select("window", *DIGEST)
    if stored is None:
        return digests.with_columns(is_kept=pl.lit(False))
    before = stored.select(pl.col(name).cast(dtype) for name, dtype in DIGEST.items()).with_columns(
        is_kept=pl.lit(True)
    )
    return digests.join(before, on=list(DIGEST), how="left", nulls_equal=True, maintain_order="left").with_columns(
        pl.col("is_kept").fill_null(False)
    )


def changed_windows(windows: ItemWindows, digested: pl.DataFrame, results: str) -> ItemWindows:
    """Return the windows whose results have to be computed."""
    changed = digested.filter(~pl.col("is_kept"), pl.col("results") == results)["window"]
    return windows if len(changed) == windows.windows.height else windows.only(changed)


def _hash(settings: str, content: bytes) -> str:
    return blake2b(content, key=bytes.fromhex(settings)[:64], digest_size=16).hexdigest()

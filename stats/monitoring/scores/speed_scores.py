"""Score a rating by whether it was fast: faster than all but a tenth of the rater's ratings in the reference."""

import numpy as np
import polars as pl

FAST_SHARE = 0.1


def fast_limits(durations: pl.DataFrame) -> dict[str, float]:
    """Return the 10 % quantile of each rater's durations in seconds, with linear interpolation.

    `durations` has the columns rater, duration_s and n_ratings. A rater without durations has no entry.

    >>> rows = {"rater": ["ann"] * 3, "duration_s": [3.0, 1.0, 2.0], "n_ratings": [1, 1, 1]}
    >>> fast_limits(pl.DataFrame(rows))
    {'ann': 1.2}
    """
    limits = {}
    for (rater,), rows in durations.sort("rater", "duration_s").group_by("rater", maintain_order=True):
        values = np.repeat(rows["duration_s"].to_numpy(), rows["n_ratings"].to_numpy())
        limits[str(rater)] = float(np.quantile(values, FAST_SHARE))
    return limits


def fast_counts(durations: pl.DataFrame, limits: dict[str, float]) -> pl.DataFrame:
    """Count by rater and day: day, rater, n_items (ratings with a duration) and n_fast (strictly below the limit).

    Raters without a limit are left out. Sorted by rater and day.

    >>> rows = {"day": [1, 1], "rater": ["ann", "ann"], "duration_s": [1.0, 3.0], "n_ratings": [2, 5]}
    >>> fast_counts(pl.DataFrame(rows), {"ann": 1.2}).rows()
    [(1, 'ann', 7, 2)]
    """
    rater_limits = pl.DataFrame(
        {"rater": list(limits), "limit": list(limits.values())}, schema_overrides={"rater": pl.String}
    )
    fast = pl.col("n_ratings").filter(pl.col("duration_s") < pl.col("limit")).sum()
    by_day = durations.join(rater_limits, on="rater").group_by("day", "rater")
    return by_day.agg(pl.col("n_ratings").sum().alias("n_items"), fast.alias("n_fast")).sort("rater", "day")

"""How often the agreement chart of spans raises a false alarm, and how soon it finds a drop.

    python -m benchmarks.regions.alarms                 # some minutes
    python -m benchmarks.regions.alarms --streams 20

Three raters mark texts of one to some spans; each finds a share of them, and marks .3 others a text. `false_alarms` is
the share of streams of 300 days without a change that have an alarm. In the other streams each rater finds a fifth
fewer spans from day 120 on: `detected` is the share that has an alarm within 40 days, `items` the median number of
items until then.
"""

import argparse
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from itertools import combinations

import numpy as np
import polars as pl

from stats.monitoring import ChartAlarm, score_chart

FIRST = date(2026, 1, 5)
N_DAYS, CHANGE, WITHIN = 300, 120, 40
LEFT = 0.8  # of the spans that raters found before


@dataclass(frozen=True)
class Stream:
    """Items a day, the share of spans that raters find, and its spread over items and over days."""

    name: str
    per_day: int
    share: float
    item_spread: float = 0.0
    day_spread: float = 0.0


STREAMS = (
    Stream("equal texts", 20, 0.85),
    Stream("unequal texts", 20, 0.75, item_spread=0.15),
    Stream("swings from day to day", 20, 0.85, day_spread=0.03),
    Stream("few texts a day", 5, 0.85),
)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--streams", type=int, default=100, help="of each kind, with and without a change")
    options = parser.parse_args()
    with pl.Config(tbl_rows=-1, tbl_hide_dataframe_shape=True, tbl_hide_column_data_types=True, tbl_width_chars=120):
        print(measure(options.streams))


def measure(n: int, streams: Sequence[Stream] = STREAMS) -> pl.DataFrame:
    """Return one row per kind of stream: false_alarms and detected, in [0, 1], and items, null if none was detected."""
    rows = []
    for stream in streams:
        false = sum(bool(_alarms(stream, seed, N_DAYS, changes=False)) for seed in range(n))
        delays = [_delay(stream, seed) for seed in range(n)]
        detected = [delay for delay in delays if delay is not None]
        rows.append(
            {
                "texts": stream.name,
                "a day": stream.per_day,
                "false_alarms": false / n,
                "detected": len(detected) / n,
                "items": float(np.median(detected)) if detected else None,
            }
        )
    return pl.DataFrame(rows)


def _delay(stream: Stream, seed: int) -> int | None:
    """Return the items from the change to the first alarm since; None without one."""
    changed = FIRST + timedelta(days=CHANGE)
    opened = [alarm.opened_on for alarm in _alarms(stream, seed, CHANGE + WITHIN, changes=True)]
    days = [(day - changed).days + 1 for day in opened if day >= changed]
    return days[0] * stream.per_day if days else None


def _alarms(stream: Stream, seed: int, n_days: int, *, changes: bool) -> tuple[ChartAlarm, ...]:
    rng = np.random.default_rng([seed, int(changes)])
    scores = []
    for day in range(n_days):
        share = stream.share * (LEFT if changes and day >= CHANGE else 1.0) + stream.day_spread * rng.normal()
        values = [_score(rng, share + stream.item_spread * rng.normal()) for _ in range(stream.per_day)]
        scores += [(FIRST + timedelta(days=day), value) for value in values if value is not None]
    history = score_chart(pl.DataFrame(scores, schema=["day", "score"], orient="row")).history
    return history.alarms if history else ()


def _score(rng: np.random.Generator, share: float) -> float | None:
    """Return the F1 of a text over the three pairs of raters; None if nobody marked anything."""
    marks = rng.random((3, rng.poisson(3) + 1)) < np.clip(share, 0.05, 1.0)
    sizes = marks.sum(axis=1) + rng.poisson(0.3, 3)
    both = sum(int((marks[a] & marks[b]).sum()) for a, b in combinations(range(3), 2))
    return None if sizes.sum() == 0 else both / int(sizes.sum())


if __name__ == "__main__":
    main()

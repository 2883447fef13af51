"""Simulate half a year of a labelling project, day by day, with the things that happen in one.

Five annotators sort messages into four topics, two systems answer all of them. A day has 30 to 60 messages, which are
alike: they share how hard they are, and which topics are frequent. Weekends and holidays have none, a fifth of the
answers is missing, and a few answers are corrected days later. And these things happen:

- From week 9 on, within two weeks, `DRIFTER` begins to click without reading, up to 30 % of the time.
- The answers of week 11 arrive a week late, all at once.
- One day of week 14 is hard for all. It is no lasting change: an alert about it is a false alarm.
- From week 18 on, `SYSTEM` answers as version 2, and is right less often by .10.

In a quiet half year only the late week and the hard day happen, so that each alert is a false alarm.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta

import numpy as np
import polars as pl

from stats.arrays import FloatArray

START, WEEKS = date(2025, 1, 6), 26
MONTHS = WEEKS * 7 / (365.25 / 12)
HOLIDAYS = frozenset({date(2025, 4, 18), date(2025, 5, 1)})
TOPICS, SHARES = ("account", "payment", "parcel", "else"), np.array([0.35, 0.3, 0.2, 0.15])
PEOPLE, SKILL = ("ada", "bo", "cy", "di", "eve"), np.array([1.02, 1.01, 1.0, 0.98, 0.97])
SYSTEMS = {"north": 0.88, "south": 0.85}
DRIFTER, SYSTEM = "cy", "south"
KAPPA, SIMILARITY, ANSWERED, CORRECTED = 0.6, 0.03, 0.8, 0.01
CLICKS, DRIFT_DAYS, SYSTEM_DROP = 0.3, 14, 0.1


def week(number: int) -> date:
    """Return the Monday of a week, the first of which is 1."""
    return START + timedelta(weeks=number - 1)


DRIFT, LATE, HARD, NEW_VERSION = week(9), week(11), week(14) + timedelta(days=2), week(18)
LATE_ARRIVAL = LATE + timedelta(days=11)
COLUMNS = ("item", "rater", "rater_kind", "label", "rated_at", "duration_s", "system_version")
_SCHEMA = {
    "arrival": pl.Date,
    **dict.fromkeys(("item", "rater", "rater_kind", "label"), pl.String),
    "rated_at": pl.Datetime("us", "UTC"),
    "duration_s": pl.Float64,
    "system_version": pl.String,
}


@dataclass(frozen=True)
class Day:
    """What arrives on a day: ratings with COLUMNS."""

    arrival: date
    ratings: pl.DataFrame


def half_year(seed: int, *, quiet: bool = False) -> Iterator[Day]:
    """Yield the days on which ratings arrive, in order."""
    rng = np.random.default_rng([2026, seed])
    rows = [row for number in range(WEEKS * 7) for row in _day(rng, START + timedelta(days=number), number, quiet)]
    frame = pl.DataFrame(rows, schema=_SCHEMA, orient="row")
    for (arrival,), ratings in frame.sort("arrival", maintain_order=True).group_by("arrival", maintain_order=True):
        assert isinstance(arrival, date)
        yield Day(arrival, ratings.select(COLUMNS))


def is_true(kind: str, subject: str | None, day: date, *, quiet: bool = False) -> bool:
    """Whether an alert that is raised on `day` is about something that happened."""
    if quiet:
        return False
    if kind in ("system", "version"):
        return subject == SYSTEM and day >= NEW_VERSION
    if kind.startswith("rater"):
        return subject == DRIFTER and day >= DRIFT
    return kind == "agreement" and day >= DRIFT


Row = tuple[object, ...]


def _day(rng: np.random.Generator, day: date, number: int, quiet: bool) -> Iterator[Row]:
    """Yield the ratings of a day's messages, and corrections that are made later."""
    n, k = int(rng.integers(30, 61)), len(TOPICS)
    if day.weekday() >= 5 or day in HOLIDAYS:
        return
    spread = KAPPA * (1 - KAPPA) / (SIMILARITY * 0.3) - 1
    knows = np.sqrt(rng.beta(KAPPA * spread, (1 - KAPPA) * spread)) * (0.75 if day == HARD else 1)
    right = rng.choice(k, n, p=rng.dirichlet(SHARES * (1 - SIMILARITY) / SIMILARITY))
    answers, seconds = _answers(rng, right, knows, 0.0 if quiet else _clicks(day))
    answered = rng.random((n, len(PEOPLE))) < ANSWERED
    answered[~answered.any(axis=1), 0] = True
    arrival = LATE_ARRIVAL if LATE <= day < LATE + timedelta(days=5) else day
    for i in range(n):
        item = f"{number:03d}-{i:02d}"
        for r in np.flatnonzero(answered[i]):
            at = datetime.combine(day, time(8 + int(r), i % 60), tzinfo=UTC)
            duration = round(float(seconds[i, r]), 1)
            yield arrival, item, PEOPLE[r], "human", TOPICS[answers[i, r]], at, duration, None
        for system, accuracy in SYSTEMS.items():
            new = system == SYSTEM and day >= NEW_VERSION and not quiet
            is_right = rng.random() < accuracy - new * SYSTEM_DROP - (0.12 if day == HARD else 0)
            label = TOPICS[right[i] if is_right else (right[i] + rng.integers(1, k)) % k]
            at = datetime.combine(day, time(7), tzinfo=UTC)
            yield arrival, item, system, "system", label, at, None, "2" if new else "1"
        if rng.random() < CORRECTED and answered[i, 0]:
            later = day + timedelta(days=int(rng.integers(1, 8)))
            at = datetime.combine(later, time(15), tzinfo=UTC)
            yield max(later, arrival), item, PEOPLE[0], "human", TOPICS[right[i]], at, 15.0, None


def _answers(rng: np.random.Generator, right: np.ndarray, knows: float, clicks: float) -> tuple[np.ndarray, FloatArray]:
    """Return the topics and seconds (messages, people). Some messages are harder than others, whoever reads them."""
    shape = (len(right), len(PEOPLE))
    ease = np.where(rng.random(len(right)) < 0.6, 1.12, 0.8)[:, None]
    sure = rng.random(shape) < np.clip(ease * knows * SKILL, 0, 0.99)
    answers = np.where(sure, right[:, None], rng.choice(len(TOPICS), shape, p=SHARES))
    seconds = np.exp(rng.normal(np.log(20), 0.5, shape) + 0.2 * rng.normal(size=len(PEOPLE)))
    clicked = rng.random(shape) < clicks * (np.array(PEOPLE) == DRIFTER)
    return np.where(clicked, rng.integers(0, len(TOPICS), shape), answers), np.where(clicked, seconds / 3, seconds)


def _clicks(day: date) -> float:
    """Return the share of answers of `DRIFTER` that are clicks."""
    return min(CLICKS, CLICKS * max((day - DRIFT).days + 1, 0) / DRIFT_DAYS)

"""A small project with days of ratings, stored batch by batch in a real warehouse."""

from collections.abc import Callable, Sequence
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from schemas.rating_columns import METADATA, RATINGS, REJECTS
from tasks.runs.run_records import open_run
from warehouse.batches import Batch, store_batch
from warehouse.connect import connect

START = date(2026, 1, 5)
LABELS = np.array(["X", "Y", "Z"])
Rating = tuple[str, str, str, str, date, float | None, str | None]  # item, rater, kind, label, day, duration, version


def ratings_of(
    days: Sequence[int],
    *,
    raters: Sequence[str] = ("r1", "r2", "r3", "r4"),
    careless: str | None = None,
    n_items: int = 20,
    version: str = "v1",
    system_right: float = 0.9,
    people_right: float = 0.85,
    seed: int = 0,
) -> list[Rating]:
    """Simulate days (counted from START) on which each rater rates all items; a careless one clicks at random."""
    rows: list[Rating] = []
    for number in days:
        rng = np.random.default_rng([seed, number])
        day = START + timedelta(days=number)
        for i in range(n_items):
            item, truth = f"d{number}-{i}", int(rng.integers(3))
            for rater in raters:
                right = rng.random() < (1 / 3 if rater == careless else people_right)
                label = LABELS[truth] if right else LABELS[rng.integers(3)]
                seconds = round(float(rng.lognormal(3, 0.5)) / (3 if rater == careless else 1), 1)
                rows.append((item, rater, "human", str(label), day, seconds, None))
            label = LABELS[truth] if rng.random() < system_right else LABELS[(truth + 1) % 3]
            rows.append((item, "bot", "system", str(label), day, None, version))
    return rows


class Project:
    """A warehouse at `db`, filled by `store`."""

    def __init__(self, db: Path) -> None:
        self.db = db
        self.n_batches = 0
        open_run(db, "test", "1", now=datetime(2026, 1, 1, tzinfo=UTC))

    def store(self, rows: Sequence[Rating], question: str = "q", hour: int = 12) -> None:
        """Store the ratings as one batch."""
        self.n_batches += 1
        frame = pl.DataFrame(
            [
                dict.fromkeys(RATINGS)
                | {
                    "question": question,
                    "item": item,
                    "rater": rater,
                    "rater_kind": kind,
                    "label": label,
                    "rated_at": datetime(day.year, day.month, day.day, hour, tzinfo=UTC),
                    "duration_s": duration,
                    "system_version": version,
                    "row_number": number,
                }
                for number, (item, rater, kind, label, day, duration, version) in enumerate(rows, start=1)
            ],
            schema=dict(RATINGS),
        )
        now = datetime(2026, 6, 1, tzinfo=UTC) + timedelta(minutes=self.n_batches)
        batch = Batch(
            batch_id=f"b{self.n_batches}",
            source="inbox",
            file_name=f"{self.n_batches}.csv",
            sha256=str(self.n_batches),
            reader="long",
            status="stored",
            n_rows=len(rows),
            n_skipped=0,
            started_at=now,
        )
        empty = pl.DataFrame(schema=dict(REJECTS)), pl.DataFrame(schema=dict(METADATA))
        with connect(self.db) as con:
            store_batch(con, batch, frame, *empty, now=now)


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path / "warehouse.duckdb")


@pytest.fixture
def another_project(tmp_path: Path) -> Callable[[str], Project]:
    """Make a further project, by name."""
    return lambda name: Project(tmp_path / f"{name}.duckdb")

"""What benchmarks.ingest.reevaluation measures, each in a process of its own; figures are printed as JSON.

`python -m benchmarks.ingest.history build KIND SIZE FOLDER` makes FOLDER/KIND-SIZE.duckdb beside a plain table;
`... measure KIND SIZE FOLDER RUNS` stores batches in a copy of it, evaluating after each.
"""

import json
import logging
import shutil
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

import duckdb
import numpy as np
import polars as pl

from benchmarks.ratings import KNOWING, LABELS, MISSING, RATERS, SEED, dense
from tasks.evaluate.evaluation_options import EvaluationOptions, QuestionConfigs
from tasks.evaluate.pending_questions import pending_questions
from tasks.evaluate.question_config import QuestionConfig
from tasks.question_runs import process_questions
from tasks.runs.run_records import close_run, open_run
from warehouse.batches import METADATA, RATINGS, REJECTS, Batch, store_batch
from warehouse.connect import connect
from warehouse.questions import read_table

BATCHES = 10  # that bring the history
SYSTEMS = {"humans": 0, "system": 1, "systems": 3}  # that answer every item, by kind
DAYS = 100  # over which it is spread, however long it is
BATCH = 1_000  # ratings of the batch that follows
START = datetime(2026, 1, 1, tzinfo=UTC)
BARE = "create table plain (question text, item text, rater text, rater_kind text, system_version text, label text, rated_at timestamptz, score double, duration_s double, row_number bigint, source_ref text)"  # fmt: skip  # noqa: E501
OPTIONS = EvaluationOptions(
    confidence=0.95, seed=0, alert_coefficient="krippendorff_alpha", code_version="1", last_items=500
)
CONFIGS = QuestionConfigs({"q": QuestionConfig(labels=tuple(LABELS))})
Times = dict[str, list[float]]


class History:
    """Ratings of n_items items by five people, a fifth missing, and by as many systems as the kind has."""

    def __init__(self, size: int, kind: str) -> None:
        per_item = RATERS * (1 - MISSING) + SYSTEMS[kind]
        self.n_items = max(round(size / per_item), BATCHES)
        self.wide = dense(self.n_items)
        rng = np.random.default_rng(SEED + 1)
        voted = np.maximum(self.wide[:, 0], 0)
        for _ in range(SYSTEMS[kind]):
            answer = np.where(rng.random(self.n_items) < KNOWING, voted, rng.integers(0, len(LABELS), self.n_items))
            self.wide = np.column_stack([self.wide, answer.astype(np.int8)])

    def batches(self) -> Iterator[pl.DataFrame]:
        for items in np.array_split(np.arange(self.n_items), BATCHES):
            yield _frame(items, self.wide[items], items * DAYS / self.n_items)

    def later(self, number: int) -> pl.DataFrame:
        """A batch of BATCH ratings: half by new items, half that were missing on items of the whole history."""
        rng = np.random.default_rng(number)
        first = self.n_items + number * BATCH
        fresh = _frame(np.arange(first, first + BATCH // 4), dense(BATCH // 4, seed=number), np.full(BATCH // 4, DAYS))
        items = rng.choice(self.n_items, min(2 * BATCH, self.n_items), replace=False)
        missing = self.wide[items, :RATERS] < 0
        gaps = np.where(missing, rng.integers(0, len(LABELS), missing.shape), -1).astype(np.int8)
        self.wide[items, :RATERS] = np.where(missing, gaps, self.wide[items, :RATERS])
        more = _frame(items, gaps, np.full(len(items), DAYS))
        return pl.concat([fresh.head(BATCH // 2), more.head(BATCH - min(BATCH // 2, fresh.height))])


def build(kind: str, size: int, folder: Path) -> dict[str, float]:
    """Store the history, batch by batch beside a bare insert of the same columns; evaluate it once."""
    db, plain = folder / f"{kind}-{size}.duckdb", folder / f"plain-{kind}-{size}.duckdb"
    close_run(db, open_run(db, "bench", "1", now=START), "succeeded", None, now=START)
    history, times = History(size, kind), Times(bare=[], insert=[])
    with duckdb.connect(plain) as con:
        con.execute(BARE)
    n_ratings = 0
    for number, ratings in enumerate(history.batches()):
        frame = ratings.with_row_index("row_number", offset=1).select(pl.col(c).cast(t) for c, t in RATINGS.items())
        with timed(times, "bare"), duckdb.connect(plain) as con:
            con.register("incoming", frame)
            con.execute("insert into plain select * from incoming")
            con.unregister("incoming")
        with timed(times, "insert"):
            _store(db, f"history {number}", frame)
        n_ratings += frame.height
    _evaluate(db, "evaluate")
    _evaluate(db, "monitor")
    figures = {"n_ratings": n_ratings, "bytes": db.stat().st_size, "plain_bytes": plain.stat().st_size}
    plain.unlink()
    return {**figures, **{name: sum(seconds) for name, seconds in times.items()}}


def measure(kind: str, size: int, folder: Path, runs: int) -> dict[str, float]:
    """Medians over several batches, after one that does not count: seconds, and processor seconds (`..._cpu`)."""
    db = folder / f"work-{kind}-{size}.duckdb"
    shutil.copyfile(folder / f"{kind}-{size}.duckdb", db)
    history, times = History(size, kind), Times()
    for number in range(runs + 1):
        frame = history.later(number).with_row_index("row_number", offset=1)
        with timed(times, "store"):
            _store(db, f"batch {number}", frame.select(pl.col(c).cast(t) for c, t in RATINGS.items()))
        for name in ("evaluate", "monitor"):
            with timed(times, name):
                _evaluate(db, name)
        with timed(times, "all"):
            _evaluate(db, "evaluate", recount=True)
        with connect(db, read_only=True) as con, timed(times, "view"):
            read_table(con, "latest_agreement")
    db.unlink()
    return {name: statistics.median(seconds[1:]) for name, seconds in times.items()}


@contextmanager
def timed(times: Times, name: str) -> Iterator[None]:
    started, used = time.perf_counter(), time.process_time()
    yield
    times.setdefault(name, []).append(time.perf_counter() - started)
    times.setdefault(f"{name}_cpu", []).append(time.process_time() - used)


def _frame(items: np.ndarray, wide: np.ndarray, days: np.ndarray) -> pl.DataFrame:
    """Rows as validation hands them over, less row_number; raters from 6 on are systems."""
    row, rater = np.nonzero(wide >= 0)
    minutes = np.floor(days[row]) * 1440 + rater * 7
    is_system = pl.col("rater").str.tail(1).cast(pl.Int64) > RATERS
    return (
        pl.DataFrame({"item": items[row], "rater": rater + 1, "label": wide[row, rater] + 1, "at": minutes})
        .select(
            pl.lit("q").alias("question"),
            pl.format("item-{}", pl.col("item").cast(pl.String).str.zfill(8)).alias("item"),
            pl.format("rater-{}", "rater").alias("rater"),
            pl.format("label-{}", "label").alias("label"),
            (pl.lit(START) + pl.duration(minutes=pl.col("at").cast(pl.Int64))).alias("rated_at"),
            pl.lit(None, pl.Float64).alias("score"),
            pl.lit(12.5).alias("duration_s"),
            pl.lit(None, pl.String).alias("source_ref"),
        )
        .with_columns(
            rater_kind=pl.when(is_system).then(pl.lit("system")).otherwise(pl.lit("human")),
            system_version=pl.when(is_system).then(pl.lit("v1")),
        )
    )


def _store(db: Path, name: str, ratings: pl.DataFrame) -> None:
    batch = Batch(
        batch_id=name, source="bench", file_name=name, sha256=name, reader="long", status="stored",
        n_rows=ratings.height, n_skipped=0, started_at=START,
    )  # fmt: skip
    with connect(db) as con:
        store_batch(
            con, batch, ratings, pl.DataFrame(schema=dict(REJECTS)), pl.DataFrame(schema=dict(METADATA)),
            now=datetime.now(UTC) + timedelta(days=DAYS + 1),
        )  # fmt: skip


def _evaluate(db: Path, kind: str, *, recount: bool = False) -> None:
    """What `kappaflow evaluate` does of it, less Prefect and the snapshot."""
    due = pending_questions(db, kind, CONFIGS, OPTIONS, everything=recount)
    (result,) = process_questions(db, kind, due, CONFIGS, OPTIONS, recount=recount)
    if result.error or any("did not equal" in note for note in result.notes):
        raise RuntimeError(f"{kind}: {result.error or result.notes}")


def _main() -> None:
    logging.disable(logging.INFO)
    works: dict[str, Callable[..., dict[str, float]]] = {"build": build, "measure": measure}
    name, kind, size, folder, *runs = sys.argv[1:]
    print(json.dumps(works[name](kind, int(size), Path(folder), *map(int, runs))))


if __name__ == "__main__":
    _main()

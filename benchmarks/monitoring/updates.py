"""What an update of the charts costs on a history of any length: `python -m benchmarks.monitoring.updates`.

The ratings are synthetic and seeded: 10 questions of 5 labels, 50 raters, 5 ratings an item, 250 days. Then one day
more comes in, in one batch a question, and the charts of all questions are updated: read, scored, judged and written.
"""

import argparse
import resource
import sys
import tempfile
import time
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np
import polars as pl

from schemas.rating_columns import METADATA, RATINGS, REJECTS
from tasks.evaluate.run_records import open_run
from tasks.monitor.chart_updates import MonitoringConfigs, update_charts
from warehouse.batches import Batch, store_batch
from warehouse.connect import connect

START = datetime(2026, 1, 5, 12, tzinfo=UTC)
NOW = datetime(2027, 6, 1, tzinfo=UTC)
N_QUESTIONS, N_DAYS, N_RATERS, N_LABELS, PER_ITEM = 10, 250, 50, 5, 5
EMPTY = pl.DataFrame(schema=dict(REJECTS)), pl.DataFrame(schema=dict(METADATA))


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure and print one line per length of the history."""
    chosen = _options().parse_args(arguments)
    print(f"{N_QUESTIONS} questions, {N_DAYS} days, {N_RATERS} raters; seconds: median of {chosen.runs} new days")
    print(f"{'ratings':>12} {'first charts':>13} {'store a day':>12} {'update':>8} {'CPU':>8} {'peak memory':>12}")
    for size in chosen.sizes:
        with tempfile.TemporaryDirectory(dir=chosen.folder) as folder:
            _measure(Path(folder) / "warehouse.duckdb", size, chosen.runs)


def _measure(db: Path, size: int, runs: int) -> None:
    rng = np.random.default_rng(size)
    open_run(db, "benchmark", "1", now=NOW)
    n_items = size // (N_QUESTIONS * N_DAYS * PER_ITEM)
    for question in range(N_QUESTIONS):
        _store(db, question, range(N_DAYS), n_items, rng)
    configs = MonitoringConfigs({})
    first, _ = _timed(lambda: update_charts(db, configs, now=NOW))
    stored, updates, cpu = [], [], []
    for run in range(runs):
        store_time, _ = _timed(
            lambda run=run: [_store(db, q, [N_DAYS + run], n_items, rng) for q in range(N_QUESTIONS)]  # type: ignore[misc]
        )
        update_time, update_cpu = _timed(lambda: update_charts(db, configs, now=NOW))
        stored.append(store_time)
        updates.append(update_time)
        cpu.append(update_cpu)
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    middle = [float(np.median(values)) for values in (stored, updates, cpu)]
    print(
        f"{size:>12,} {first:>13.2f} {middle[0]:>12.2f} {middle[1]:>8.2f} {middle[2]:>8.2f} {memory:>9.0f} MB",
        flush=True,
    )


def _timed(action: object) -> tuple[float, float]:
    wall, cpu = time.perf_counter(), time.process_time()
    action()  # type: ignore[operator]
    return time.perf_counter() - wall, time.process_time() - cpu


def _store(db: Path, question: int, days: Sequence[int], n_items: int, rng: np.random.Generator) -> None:
    """Store the ratings of some days of a question as one batch."""
    n = len(days) * n_items
    day = np.repeat(np.array(days), n_items * PER_ITEM)
    truth = np.repeat(rng.integers(N_LABELS, size=n), PER_ITEM)
    raters = rng.random((n, N_RATERS), dtype=np.float32).argpartition(PER_ITEM, axis=1)[:, :PER_ITEM].ravel()
    label = np.where(rng.random(n * PER_ITEM) < 0.75, truth, rng.integers(N_LABELS, size=n * PER_ITEM))
    item = np.repeat(np.arange(n), PER_ITEM)
    frame = pl.DataFrame({"day": day, "item": item, "rater": raters, "label": label}).select(
        question=pl.lit(f"q{question}"),
        item=pl.format("{}-{}", "day", "item"),
        rater=pl.format("r{}", "rater"),
        rater_kind=pl.lit("human"),
        label=pl.format("label {}", "label"),
        rated_at=pl.lit(START) + pl.duration(days=pl.col("day")),
        duration_s=pl.lit(20.0) + (pl.col("item") * 7919 % 400) / 10,
        row_number=pl.int_range(pl.len()) + 1,
    )
    full = frame.with_columns(pl.lit(None, dtype).alias(name) for name, dtype in RATINGS.items() if name not in frame)
    name = f"q{question} {days[0]}"
    batch = Batch(
        batch_id=name,
        source="inbox",
        file_name=name,
        sha256=name,
        reader="long",
        status="stored",
        n_rows=full.height,
        n_skipped=0,
        started_at=NOW,
    )
    with connect(db) as con:
        store_batch(con, batch, full.select(list(RATINGS)), *EMPTY, now=NOW + timedelta(microseconds=days[0]))


def _options() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=sys.modules[__name__].__doc__)
    parser.add_argument("--sizes", type=int, nargs="+", default=[100_000, 1_000_000])
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--folder", type=Path, default=None, help="where the warehouses are made")
    return parser


if __name__ == "__main__":
    main()

"""What an update of charts and windows costs on a history of any length: `python -m benchmarks.monitoring.updates`.

The ratings are synthetic and seeded: 10 questions of 5 labels, 50 raters, 5 ratings an item, 250 days. Then one day
more comes in, in one batch a question. The charts of all questions are updated: read, scored, judged and written. So
are all windows, which a run computes from the patterns. Prefect and the evaluation before are not in the figures.
"""

import argparse
import resource
import sys
import tempfile
import time
from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import numpy as np
import polars as pl

from benchmarks.machine import machine
from benchmarks.page import Table, as_text, page
from schemas.rating_columns import METADATA, RATINGS, REJECTS
from tasks.evaluate.evaluation_options import EvaluationOptions, QuestionConfigs
from tasks.evaluate.pending_questions import pending_questions
from tasks.evaluate.run_records import open_run
from tasks.monitor.chart_updates import MonitoringConfigs, update_charts
from tasks.question_runs import process_questions
from warehouse.batches import Batch, store_batch
from warehouse.connect import connect
from warehouse.run_results import WINDOW_TABLES

START = datetime(2026, 1, 5, 12, tzinfo=UTC)
NOW = datetime(2027, 6, 1, tzinfo=UTC)
N_QUESTIONS, N_DAYS, N_RATERS, N_LABELS, PER_ITEM = 10, 250, 50, 5, 5
OPTIONS = EvaluationOptions(confidence=0.95, seed=1, alert_coefficient="krippendorff_alpha", code_version="1")
EMPTY = pl.DataFrame(schema=dict(REJECTS)), pl.DataFrame(schema=dict(METADATA))


HEADER = (
    "ratings", "first charts", "store a day", "charts", "charts, CPU", "windows", "windows, CPU", "rows", "peak MB"
)  # fmt: skip


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure, and print one line per length of the history."""
    chosen = _options().parse_args(arguments)
    rows = []
    for size in chosen.sizes:
        with tempfile.TemporaryDirectory(dir=chosen.folder) as folder:
            rows.append(measured(Path(folder) / "warehouse.duckdb", size, chosen.runs))
            print("  ".join(f"{name} {value}" for name, value in zip(HEADER, rows[-1], strict=True)), flush=True)
    table = Table(
        "Seconds, by the number of ratings that were there before",
        f"""Medians of {chosen.runs} new days. First charts: all {N_DAYS} days at once. Store a day: a batch for each of
        {N_QUESTIONS} questions. Charts, windows: their update after it, for all questions. CPU: processor time.
        Rows: of all windows.""",
        HEADER,
        rows,
    )
    print(f"\n{as_text(table)}")
    if chosen.out:
        chosen.out.write_text(update_page(table), encoding="utf-8")


def update_page(table: Table) -> str:
    """Return the page with the table."""
    return page(
        "Benchmarks of monitoring",
        "Written by `python -m benchmarks.monitoring.updates`; do not edit.",
        [
            f"""Made by `make bench-monitoring`. The ratings are synthetic and seeded: {N_QUESTIONS} questions of
            {N_LABELS} labels, {N_RATERS} raters, {PER_ITEM} ratings an item, {N_DAYS} days. Then one day
            more comes in.""",
            """An update of the charts reads the counts of the days that changed, and stored sums of all others.
            Windows are computed from all patterns of a question that changed: those of raters and systems take
            accuracies from the evaluation, which changes with each batch.""",
        ],
        {"date": f"{date.today()}", **machine(["kappaflow", "duckdb", "polars"])},
        [table],
    )


def measured(db: Path, size: int, runs: int) -> list[str]:
    """Return the row of a history of `size` ratings."""
    rng = np.random.default_rng(size)
    open_run(db, "benchmark", "1", now=NOW)
    n_items = size // (N_QUESTIONS * N_DAYS * PER_ITEM)
    for question in range(N_QUESTIONS):
        _store(db, question, range(N_DAYS), n_items, rng)
    configs = MonitoringConfigs({})
    first, _ = _timed(lambda: update_charts(db, configs, now=NOW))
    times = []
    for run in range(runs + 1):
        for question in range(N_QUESTIONS):
            stored = _timed(lambda q=question, day=N_DAYS + run: _store(db, q, [day], n_items, rng))  # type: ignore[misc]
            times.append((run, 0, *stored))
        times.append((run, 1, *_timed(lambda: update_charts(db, configs, now=NOW))))
        times.append((run, 2, *_timed(lambda: _windows(db))))
    per_run = pl.DataFrame(times, schema=["run", "what", "wall", "cpu"], orient="row")
    sums = per_run.filter(pl.col("run") > 0).group_by("run", "what").sum().group_by("what").median().sort("what")
    wall, cpu = (sums[name].to_list() for name in ("wall", "cpu"))  # the first run, which imports modules, is left out
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    figures = (first, wall[0], wall[1], cpu[1], wall[2], cpu[2])
    return [f"{size:,}", *(f"{value:.2f}" for value in figures), f"{_window_rows(db):,}", f"{memory:.0f}"]


def _windows(db: Path) -> None:
    """Update the windows of the questions whose ratings changed."""
    configs = QuestionConfigs({})
    questions = pending_questions(db, "monitor", configs, OPTIONS, everything=False)
    failed = [one.error for one in process_questions(db, "monitor", questions, configs, OPTIONS) if one.error]
    if failed or len(questions) != N_QUESTIONS:
        raise RuntimeError(f"{len(questions)} questions were due, of which these failed: {failed}")


def _window_rows(db: Path) -> int:
    with connect(db, read_only=True) as con:
        return sum(con.table(name).shape[0] for name in WINDOW_TABLES)


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
    parser.add_argument("--out", type=Path, help="write the table to this file as Markdown, too")
    parser.add_argument("--folder", type=Path, default=None, help="where the warehouses are made")
    return parser


if __name__ == "__main__":
    main()

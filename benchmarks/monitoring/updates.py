"""What an update of charts and windows costs on a history of any length: `python -m benchmarks.monitoring.updates`.

The ratings are synthetic and seeded: 10 questions of 5 labels, 50 raters, 5 ratings an item, 250 days. Then days of
1,000 ratings come in, in one batch a question. The charts of all questions are updated: read, scored, judged and
written. So are the windows, which a run computes from the patterns. Beside them stands the least that a look at all
ratings costs: one group-by. Prefect and the evaluation before are not in the figures.
"""

import argparse
import resource
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from statistics import median

import numpy as np
import polars as pl

from benchmarks.machine import machine
from benchmarks.page import Table, as_text, page
from schemas.rating_columns import METADATA, RATINGS, REJECTS
from tasks.evaluate.evaluation_options import EvaluationOptions, QuestionConfigs
from tasks.evaluate.pending_questions import pending_questions
from tasks.monitor.chart_updates import update_charts
from tasks.monitor.monitoring_configs import MonitoringConfigs
from tasks.question_runs import process_questions
from tasks.runs.run_records import open_run
from warehouse.batches import Batch, store_batch
from warehouse.connect import connect
from warehouse.runs.run_results import WINDOW_TABLES

START = datetime(2026, 1, 5, 12, tzinfo=UTC)
NOW = datetime(2027, 6, 1, tzinfo=UTC)
N_QUESTIONS, N_DAYS, N_RATERS, N_LABELS, PER_ITEM = 10, 250, 50, 5, 5
OPTIONS = EvaluationOptions(confidence=0.95, seed=1, alert_coefficient="krippendorff_alpha", code_version="1")
EMPTY = pl.DataFrame(schema=dict(REJECTS)), pl.DataFrame(schema=dict(METADATA))


NEW_ITEMS = 20  # of a question on a new day: 1,000 ratings of all questions
HEADER = (
    "ratings", "everything new", "one new day", "one new day, wall", "nothing new", "group-by", "new day / group-by"
)  # fmt: skip
WHAT = ("everything new", "one new day", "nothing new")
UPDATES = {"charts": "Charts", "windows": "Windows"}


@dataclass(frozen=True)
class History:
    """The figures of one history: rows of the tables, and what else was seen."""

    rows: Mapping[str, list[str]]
    n_charts: int
    n_window_rows: int
    peak_mb: float


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure, print the tables, and write the page if asked."""
    chosen = _options().parse_args(arguments)
    histories = []
    for size in [chosen.warm_up, *chosen.sizes]:
        with tempfile.TemporaryDirectory(dir=chosen.folder) as folder:
            wanted = [name for name in chosen.updates if name != "windows" or size <= chosen.windows_up_to]
            histories.append(measured(Path(folder) / "warehouse.duckdb", size, chosen.runs, wanted))
            print(f"{size:,}: {histories[-1]}", flush=True)
    tables = tables_of(histories[1:], chosen.runs)
    print("\n\n".join(as_text(table) for table in tables))
    if chosen.out:
        chosen.out.write_text(update_page(tables), encoding="utf-8")


def tables_of(histories: Sequence[History], runs: int) -> list[Table]:
    """Return the tables of the page."""
    about = f"""Processor seconds by the number of ratings, all {N_QUESTIONS} questions together. Medians of {runs} new
        days, after one that does not count."""
    sizes = [
        (
            next(iter(history.rows.values()))[0],
            f"{history.n_charts:,}",
            f"{history.n_window_rows:,}" if "windows" in history.rows else "not computed",
            f"{history.peak_mb:,.0f}",
        )
        for history in histories
    ]
    return [
        *(
            Table(title, about, HEADER, [history.rows[name] for history in histories if name in history.rows])
            for name, title in UPDATES.items()
            if name in histories[0].rows
        ),
        Table(
            "Sizes",
            "Charts, rows of all windows, and the peak memory of the process so far.",
            ("ratings", "charts", "rows of windows", "MB"),
            sizes,
        ),
    ]


def update_page(tables: Sequence[Table]) -> str:
    """Return the page with the tables."""
    return page(
        "Benchmarks of monitoring",
        "Written by `python -m benchmarks.monitoring.updates`; do not edit.",
        [
            f"""Made by `make bench-monitoring`. The ratings are synthetic and seeded: {N_QUESTIONS} questions of
            {N_LABELS} labels, {N_RATERS} raters, {PER_ITEM} ratings an item, {N_DAYS} days. Then days of
            {NEW_ITEMS * PER_ITEM * N_QUESTIONS:,} ratings come in, in a batch for each question. Opening, writing and
            closing the warehouse are in the figures; Prefect and the evaluation before are not.""",
            """An update of the charts reads the counts of the days that changed and stored sums of all others, and goes
            on from what it knew of each chart. So its cost follows the number of charts and days, and not the number of
            ratings; with few ratings fewer raters have charts, as the last table shows. Of a
            question that changed, agreement and labels are computed in the windows whose items changed. Windows of
            raters and systems are all computed, because they take accuracies from the evaluation, which changes with
            each batch. So their cost grows with the distinct patterns: here nearly no two items share one.""",
            """The figures are of this machine, which other programs may have used at the same time: processor seconds
            suffer less from that than wall seconds. The ratio carries over best. It compares with one group-by of all
            ratings in force by DuckDB: their number by question, day and label.""",
        ],
        {"date": f"{date.today()}", **machine(["kappaflow", "duckdb", "polars"])},
        tables,
    )


def measured(db: Path, size: int, runs: int, wanted: Sequence[str] = tuple(UPDATES)) -> History:
    """Return the figures of a history of `size` ratings, of the updates that are wanted."""
    rng = np.random.default_rng(size)
    open_run(db, "benchmark", "1", now=NOW)
    n_items = max(1, size // (N_QUESTIONS * N_DAYS * PER_ITEM))
    for question in range(N_QUESTIONS):
        _store(db, question, range(N_DAYS), n_items, rng)
    actions = {"charts": lambda: _charts(db), "windows": lambda: _windows(db)}
    updates = {name: action for name, action in actions.items() if name in wanted}
    times = [(name, "everything new", 0, *_timed(update)) for name, update in updates.items()]
    for run in range(runs + 1):
        for question in range(N_QUESTIONS):
            _store(db, question, [N_DAYS + run], NEW_ITEMS, rng)
        times += [(name, "one new day", run, *_timed(update)) for name, update in updates.items()]
        times += [(name, "nothing new", run, *_timed(update)) for name, update in updates.items()]
        times.append(("ratings", "group-by", run, *_timed(lambda: _group_by(db))))
    counted = [row for row in times if row[1] == "everything new" or row[2] > 0]
    medians = {
        (name, what): [median(row[i] for row in counted if row[:2] == (name, what)) for i in (3, 4)]
        for name, what, *_ in counted
    }
    floor = medians["ratings", "group-by"][1]
    rows = {}
    for name in updates:
        (_, first), (wall, new), (_, nothing) = (medians[name, what] for what in WHAT)
        figures = (first, new, wall, nothing, floor, new / floor)
        rows[name] = [f"{size:,}", *(f"{value:.2f}" if value >= 1 else f"{value:.3f}" for value in figures)]
    return History(rows, _n_charts(db), _window_rows(db), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)


def _charts(db: Path) -> None:
    update_charts(db, MonitoringConfigs({}), now=NOW)


def _group_by(db: Path) -> None:
    """Count the ratings in force by question, day and label."""
    with connect(db, read_only=True) as con:
        keys = "question, cast(rated_at as date), label"
        con.table("current_ratings").aggregate(f"{keys}, count(*)", keys).fetchall()


def _windows(db: Path) -> None:
    """Update the windows of the questions whose ratings changed."""
    configs = QuestionConfigs({})
    questions = pending_questions(db, "monitor", configs, OPTIONS, everything=False)
    failed = [result.error for result in process_questions(db, "monitor", questions, configs, OPTIONS) if result.error]
    if failed or len(questions) not in (0, N_QUESTIONS):
        raise RuntimeError(f"{len(questions)} questions were due, of which these failed: {failed}")


def _n_charts(db: Path) -> int:
    with connect(db, read_only=True) as con:
        return con.table("charts").select("question, chart, subject").distinct().shape[0]


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
    parser.add_argument("--updates", nargs="+", choices=list(UPDATES), default=list(UPDATES))
    parser.add_argument(
        "--windows-up-to", type=int, default=sys.maxsize, help="ratings beyond which only charts are run"
    )
    parser.add_argument("--warm-up", type=int, default=12_500, help="ratings of a history that does not count")
    parser.add_argument("--out", type=Path, help="write the table to this file as Markdown, too")
    parser.add_argument("--folder", type=Path, default=None, help="where the warehouses are made")
    return parser


if __name__ == "__main__":
    main()

"""Steps of `benchmarks.size.datasets`: `python -m benchmarks.size.dataset_steps STEP FOLDER SIZE` prints their
figures."""

import json
import resource
import sys
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import duckdb

from tasks.evaluate.evaluation_options import EvaluationOptions, QuestionConfigs
from tasks.evaluate.pending_questions import kinds_of_raters, pending_questions
from tasks.evaluate.question_config import QuestionConfig
from tasks.formats import ReadOptions
from tasks.ingest.datasets.count_datasets import count_datasets
from tasks.ingest.datasets.count_rules import CountRules
from tasks.ingest.ingest_rules import IngestRules
from tasks.monitor.chart_updates import update_charts
from tasks.monitor.monitoring_configs import MonitoringConfigs, QuestionMonitoring
from tasks.question_runs import process_questions
from tasks.runs.run_records import close_run, open_run
from tasks.sources.dataset import DatasetSource
from warehouse.memory_limit import limit_memory

LABELS = ("a", "b", "c", "d", "e")
START = datetime(2026, 6, 1, tzinfo=UTC)
SYSTEMS = frozenset({"gpt"})
FILE_RATINGS = 1_000_000
NEW = 1_000
RATINGS = """
copy (
    with cells as (
        select i // 6 as item, i % 6 as place, hash(i) as h, hash(i // 6 + 7) as t
        from range({first}, {last}) as r (i)
    )

    select
        {item} as item,
        case place when 5 then 'gpt' else 'rater-' || place end as rater,
        ['a', 'b', 'c', 'd', 'e'][1 + (case when h % 100 < 65 then t else h // 100 end % 5)::integer] as label,
        timestamptz '2026-01-01 00:00:00+00' + interval (item * 8640000.0 / {n_items}) second
            + interval (place) minute as rated_at
    from cells
    where place = 5 or h // 1000 % 5 > 0
) to '{target}' (format parquet)
"""
ITEMS = {"in order": "'item-' || lpad(item::varchar, 9, '0')", "random": "md5(item::varchar)"}
OPTIONS = EvaluationOptions(
    confidence=0.95, seed=0, alert_coefficient="krippendorff_alpha", code_version="1", last_items=500
)
CONFIGS = QuestionConfigs({"q": QuestionConfig(labels=LABELS, systems=SYSTEMS)})


def make(folder: Path, size: int, ids: str = "in order") -> None:
    """Write the files: a fifth of the cells of people are empty, so that 5 of 6 cells are ratings."""
    n_cells = round(size * 6 / 5)
    n_files = max(10, round(size / FILE_RATINGS))
    bounds = [round(n_cells // 6 * n / n_files) * 6 for n in range(n_files + 1)]
    (folder / "ratings").mkdir()
    with duckdb.connect() as con:
        con.execute("set timezone = 'UTC'")
        for number in range(n_files):
            _write(con, folder, f"part-{number:05d}", bounds[number], bounds[number + 1], n_cells // 6, ids)
    close_run(_db(folder), open_run(_db(folder), "bench", "1", now=START), "succeeded", None, now=START)


def add(folder: Path, size: int, ids: str = "in order") -> None:
    """Write one more file: half of its items are known."""
    first = max(0, round(size * 6 / 5) // 6 - NEW // 10) * 6
    with duckdb.connect() as con:
        con.execute("set timezone = 'UTC'")
        _write(con, folder, "part-later", first, first + round(NEW * 6 / 5), round(size / 5), ids)


def _write(
    con: duckdb.DuckDBPyConnection, folder: Path, name: str, first: int, last: int, n_items: int, ids: str
) -> None:
    target = folder / "ratings" / f"{name}.parquet"
    con.execute(RATINGS.format(first=first, last=last, n_items=n_items, target=target, item=ITEMS[ids]))


def make_random(folder: Path, size: int) -> None:
    """Write the files with ids that say nothing about the time."""
    make(folder, size, "random")


def add_random(folder: Path, size: int) -> None:
    """Write one more file of such ids."""
    add(folder, size, "random")


def count(folder: Path, size: int) -> None:
    """Count what is new."""
    _count(folder, "duckdb")


def count_on_spark(folder: Path, size: int) -> None:
    """Count what is new on the cluster that KAPPAFLOW_SPARK_MASTER names."""
    _count(folder, "spark")


def _count(folder: Path, engine: str) -> None:
    options = ReadOptions(question="q", systems=SYSTEMS)
    source = DatasetSource("ratings", folder / "ratings", options=options, engine=engine)
    rules = CountRules(IngestRules({"q": LABELS}), kinds_of_raters(CONFIGS), "UTC", OPTIONS.last_items)
    for result in count_datasets(_db(folder, engine), [source], rules):
        if result.status != "stored":
            raise RuntimeError(result.detail)


def evaluate(folder: Path, size: int) -> None:
    """Evaluate the question."""
    _process(folder, "evaluate")


def monitor(folder: Path, size: int) -> None:
    """Compute the windows and the charts."""
    _process(folder, "monitor")
    configs = MonitoringConfigs({"q": QuestionMonitoring(CONFIGS.of("q"))})
    for update in update_charts(_db(folder), configs, now=START):
        if update.error:
            raise RuntimeError(update.error)


def _process(folder: Path, kind: str) -> None:
    due = pending_questions(_db(folder), kind, CONFIGS, OPTIONS, everything=False)
    for result in process_questions(_db(folder), kind, due, CONFIGS, OPTIONS):
        if result.error:
            raise RuntimeError(result.error)


def _db(folder: Path, engine: str = "duckdb") -> Path:
    return folder / ("warehouse.duckdb" if engine == "duckdb" else f"{engine}.duckdb")


WORKS: dict[str, Callable[[Path, int], None]] = {
    "make": make, "add": add, "make random": make_random, "add random": add_random, "count": count,
    "nothing": count, "evaluate": evaluate, "monitor": monitor, "more": count,
    "again": evaluate,
    "count on Spark": count_on_spark, "more on Spark": count_on_spark,
}  # fmt: skip

if __name__ == "__main__":
    step, place, n_ratings, n_bytes = sys.argv[1:]
    limit_memory(int(n_bytes))
    started, cpu = time.perf_counter(), time.process_time()
    WORKS[step](Path(place), int(n_ratings))
    elapsed, cpu = time.perf_counter() - started, time.process_time() - cpu
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps({"seconds": elapsed, "cpu": cpu, "peak_mb": peak}))

"""The same ratings, ingested as files and counted as a dataset, give the same tables."""

import os
import random
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import polars as pl
import pytest
from polars.testing import assert_frame_equal

from tasks.evaluate.evaluation_options import EvaluationOptions, QuestionConfigs
from tasks.evaluate.patterns import from_warehouse, windows_from_warehouse
from tasks.evaluate.pending_questions import pending_questions
from tasks.evaluate.question_config import QuestionConfig
from tasks.evaluate.run_records import close_run, open_run
from tasks.formats import ReadOptions
from tasks.ingest.datasets import dataset_rows
from tasks.ingest.datasets.count_datasets import count_datasets
from tasks.ingest.datasets.count_rules import CountRules
from tasks.ingest.datasets.datasets_due import datasets_due
from tasks.ingest.duplicates import DuplicateRule
from tasks.ingest.file_result import FileResult
from tasks.ingest.ingest_files import ingest
from tasks.ingest.ingest_rules import IngestRules
from tasks.monitor.chart_updates import update_charts
from tasks.monitor.monitoring_configs import MonitoringConfigs, QuestionMonitoring
from tasks.question_runs import process_questions
from tasks.sources.dataset import DatasetSource
from tasks.sources.folder import FolderSource, find_files
from warehouse.connect import connect
from warehouse.maintenance.integrity import run_checks
from warehouse.raters.rater_kinds import KINDS

START = datetime(2026, 3, 1, tzinfo=UTC)
LABELS = ("no", "some", "yes")
OPTIONS = EvaluationOptions(
    confidence=0.95, seed=1, alert_coefficient="krippendorff_alpha", code_version="1", last_items=50,
    windows=("day", "week"), rolling_days=7, window_items=0, timezone="Europe/Berlin",
)  # fmt: skip
RULES = IngestRules({"tone": LABELS}, {}, {"annie": "ann"})


def ratings(n: int, first: int = 0, seed: int = 1, *, timed: bool = True) -> pl.DataFrame:
    """Ratings of `n` items by three people and a judge, in the order in which they came."""
    rng = random.Random(seed)
    rows = []
    for item in range(first, first + n):
        truth = rng.choice(LABELS)
        for place, rater in enumerate(("ann", "bob", "cleo", "gpt")):
            if rater != "gpt" and rng.random() < 0.15:
                continue
            label = truth if rng.random() < 0.75 else rng.choice(LABELS)
            at = START + timedelta(hours=item // 3, minutes=place)
            rows.append((f"i{item}", "annie" if rater == "ann" and item % 7 == 0 else rater, label,
                         at if timed else None, float(rng.randint(1, 99)), "v1" if rater == "gpt" else None))  # fmt: skip
    return pl.DataFrame(
        rows, orient="row",
        schema={"item": pl.String, "rater": pl.String, "label": pl.String, "rated_at": pl.Datetime("us", "UTC"),
                "duration_s": pl.Float64, "system_version": pl.String},
    )  # fmt: skip


def bad(rows: pl.DataFrame) -> pl.DataFrame:
    """The rows with some that are refused, some that repeat others, and texts that have to be tidied."""
    first = rows.head(6)
    return pl.concat([
        rows,
        first.with_columns(item=pl.lit(None, pl.String)),
        first.head(3).with_columns(label=pl.lit("maybe")),
        first.head(2).with_columns(rater=pl.lit(" ")),
        first.with_columns(item=pl.format(" {} ", "item"), label=pl.lit("yes"), rated_at=pl.col("rated_at") + timedelta(days=9)),
        first.head(1).with_columns(duration_s=pl.lit(-1.0), item=pl.lit("cafe\u0301")),
        first.head(1).with_columns(item=pl.lit("caf\u00e9")),
    ])  # fmt: skip


def options(**changes: object) -> ReadOptions:
    return ReadOptions(**{"question": "tone", "systems": frozenset({"gpt"}), **changes})  # type: ignore[arg-type]


def rules(ingest_rules: IngestRules = RULES, kinds: pl.DataFrame | None = None) -> CountRules:
    return CountRules(ingest_rules, kinds if kinds is not None else pl.DataFrame(schema=KINDS), OPTIONS.timezone, 50)


CONFIGS = QuestionConfigs({"tone": QuestionConfig(labels=LABELS, systems=frozenset({"gpt"}))})
MONITORING = MonitoringConfigs({"tone": QuestionMonitoring(CONFIGS.of("tone"))})
RESULTS = ("agreement", "pairwise_agreement", "rater_quality", "system_accuracy", "label_agreement")
NAMES = {"question_id": "questions", "rater_id": "raters", "label_id": "labels"}


class Projects:
    """Two warehouses: one that ingests files, and one that counts the same files as a dataset."""

    def __init__(self, folder: Path, counted_rules: CountRules | None = None, **changes: object) -> None:
        self.files, self.counted = folder / "files.duckdb", folder / "counted.duckdb"
        self.folder = folder / "ratings"
        self.folder.mkdir()
        self.rules, self.options = counted_rules or rules(), options(**changes)
        for db in (self.files, self.counted):
            close_run(db, open_run(db, "test", "1", now=START, timezone=OPTIONS.timezone), "succeeded", None, now=START)

    def write(self, name: str, rows: pl.DataFrame) -> None:
        path = self.folder / name
        path.parent.mkdir(exist_ok=True)
        rows.write_parquet(path)
        os.utime(path, (1_700_000_000, 1_700_000_000))

    @property
    def source(self) -> DatasetSource:
        return DatasetSource("ratings", self.folder, options=self.options, memory="500 MB")

    def count(self, **changes: bool) -> list[FileResult]:
        return count_datasets(self.counted, [self.source], self.rules, **changes)

    def ingest(self) -> list[FileResult]:
        found = find_files([FolderSource("ratings", self.folder, options=self.options)])
        return list(ingest(self.files, found.found, self.rules.ingest))


@pytest.fixture
def projects(tmp_path: Path) -> Projects:
    return Projects(tmp_path)


def stored(db: Path, *, batches: bool = True) -> dict[str, pl.DataFrame]:
    """All counts of the question tone, by name and in a fixed order."""
    with connect(db) as con:
        patterns = from_warehouse(con, "tone")
        windows = windows_from_warehouse(con, "tone", patterns.names, 50)
        found = {"patterns": patterns.frame, "days": windows.days, "last": windows.last}
        if batches:
            found["batches"] = windows.batches.drop("batch_id")
        for table in ("version_counts", "label_counts", "day_item_counts", "duration_counts", "rater_day_counts"):
            frame = con.table(f"internal.{table}").pl()
            for key, name in NAMES.items():
                if key in frame.columns:
                    frame = frame.join(con.table(f"internal.{name}").pl().select(key, name[:-1]), on=key).drop(key)
            found[table] = frame.select(sorted(frame.columns))
        versions = con.table("internal.version_day_counts").pl().rename({"pattern_id": "source"})
        found["versions"] = versions.join(patterns.names, on="source").select(
            "day", "item", "system_version", "n_items"
        )
    return {name: frame.sort(frame.columns) for name, frame in found.items()}


def assert_same(projects: Projects, **changes: bool) -> None:
    ingested, counted = stored(projects.files, **changes), stored(projects.counted, **changes)
    for name in ingested:
        assert_frame_equal(counted[name], ingested[name], check_dtypes=False)
    assert ingested["patterns"].height > 10


def totals(db: Path) -> tuple[int, ...]:
    with connect(db) as con:
        names = "n_rows", "n_ratings", "n_unchanged", "n_skipped", "n_rejected"
        return tuple(int(con.table("batches").pl()[name].sum()) for name in names)


def reasons(db: Path) -> dict[str, int]:
    with connect(db) as con:
        rows = con.table("rejects_by_reason").pl().group_by("reason").agg(pl.col("n_rejected").sum())
        return dict(sorted(rows.rows()))


def test_a_dataset_counts_as_its_ingested_files(projects: Projects, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dataset_rows, "BUCKET_ROWS", 100)  # several buckets
    projects.write("a.parquet", bad(ratings(120)))
    (counted,), (ingested,) = projects.count(), projects.ingest()
    assert (counted.status, counted.counts.n_ratings) == ("stored", ingested.counts.n_ratings)
    assert_same(projects)
    projects.write("b.parquet", bad(pl.concat([ratings(30, 100, seed=2), ratings(10, 200)])))
    (counted,), (ingested,) = projects.count(), projects.ingest()
    assert counted.counts.n_ratings == ingested.counts.n_ratings
    assert_same(projects)
    assert totals(projects.counted) == totals(projects.files)
    assert reasons(projects.counted) == reasons(projects.files)
    assert projects.count() == [] and not datasets_due(projects.counted, [projects.source])
    projects.count(again=True)
    assert_same(projects)
    assert totals(projects.counted) == totals(projects.files)
    with connect(projects.counted) as con:
        assert not [name for name, rows in run_checks(con).items() if rows.height]
        assert con.table("internal.ratings").pl().is_empty() and con.table("internal.items").pl().is_empty()


@pytest.mark.parametrize("rule", ["latest", "first", "error", "repeats"])
def test_the_rules_for_duplicates_hold_for_ratings_without_a_time(tmp_path: Path, rule: str) -> None:
    ingest_rules = replace(RULES, duplicates={"tone": DuplicateRule(rule, frozenset({"gpt"}))})
    projects = Projects(tmp_path, rules(ingest_rules))
    for number in range(3):
        rows = ratings(40, 20 * number, seed=number, timed=False)
        if rule != "repeats":
            rows = pl.concat([rows, rows.head(5).with_columns(label=pl.lit("yes"))])
        projects.write(f"{number}.parquet", rows)
        projects.count()
        projects.ingest()
        ingested, counted = stored(projects.files), stored(projects.counted)
        assert_frame_equal(counted["patterns"], ingested["patterns"])
        assert totals(projects.counted) == totals(projects.files)


def test_the_results_are_the_same(projects: Projects) -> None:
    projects.write("a.parquet", ratings(900))
    projects.count()
    projects.ingest()
    results = []
    for db in (projects.counted, projects.files):
        for kind in ("evaluate", "monitor"):
            due = pending_questions(db, kind, CONFIGS, OPTIONS, everything=False)
            assert [done.error for done in process_questions(db, kind, due, CONFIGS, OPTIONS)] == [None]
        assert [update.error for update in update_charts(db, MONITORING, now=START + timedelta(days=90))] in (
            [],
            [None],
        )
        with connect(db) as con:
            tables = {name: con.table(name).pl().drop("run_id") for name in RESULTS}
            tables["points"] = con.table("charts").pl()
        results.append(tables)
    for name, counted in results[0].items():
        assert_frame_equal(counted.sort(counted.columns), results[1][name].sort(counted.columns), abs_tol=1e-12)
        assert counted.height or name == "label_agreement"

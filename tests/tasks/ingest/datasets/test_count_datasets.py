"""The same ratings, ingested as files and counted as a dataset, give the same tables."""

import os
import random
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import duckdb
import polars as pl
import pytest
from polars.testing import assert_frame_equal

from tasks.errors import InputError
from tasks.evaluate.evaluation_options import EvaluationOptions, QuestionConfigs
from tasks.evaluate.patterns import from_warehouse, windows_from_warehouse
from tasks.evaluate.pending_questions import kinds_of_raters, pending_questions
from tasks.evaluate.question_config import QuestionConfig
from tasks.formats import ReadOptions
from tasks.ingest.datasets import count_datasets as count_datasets_module
from tasks.ingest.datasets import count_memory
from tasks.ingest.datasets.count_datasets import count_datasets
from tasks.ingest.datasets.count_job import CountOutcome
from tasks.ingest.datasets.count_rules import CountRules
from tasks.ingest.datasets.count_with_duckdb import count_with_duckdb
from tasks.ingest.datasets.pending_datasets import has_pending_files
from tasks.ingest.duplicates import DuplicateRule
from tasks.ingest.file_result import FileResult
from tasks.ingest.ingest_files import ingest
from tasks.ingest.ingest_rules import IngestRules
from tasks.ingest.rejected_rows import read_rejects
from tasks.monitor.chart_updates import update_charts
from tasks.monitor.check_rules import check_rules
from tasks.monitor.monitoring_configs import MonitoringConfigs, QuestionMonitoring
from tasks.question_runs import process_questions
from tasks.runs.history import agreement_as_of
from tasks.runs.run_records import close_run, open_run
from tasks.sources.dataset import DatasetSource
from tasks.sources.folder import FolderSource, find_files
from warehouse.alerting.alert_figures import figures_query
from warehouse.connect import connect
from warehouse.datasets import counting
from warehouse.datasets import stored as storing
from warehouse.datasets.counting import EXAMPLES
from warehouse.maintenance.integrity import run_checks
from warehouse.memory_limit import limit_memory
from warehouse.publication.page_queries import page_rows
from warehouse.raters.rater_kinds import KINDS, set_rater_kinds

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
            at = START + timedelta(hours=item, minutes=place)
            name = "annie" if rater == "ann" and item % 7 == 0 else rater
            version = "v1" if rater == "gpt" else None
            rows.append((f"i{item}", name, label, at if timed else None, float(rng.randint(1, 99)), version))
    return pl.DataFrame(
        rows, orient="row",
        schema={"item": pl.String, "rater": pl.String, "label": pl.String, "rated_at": pl.Datetime("us", "UTC"),
                "duration_s": pl.Float64, "system_version": pl.String},
    )  # fmt: skip


def bad(rows: pl.DataFrame) -> pl.DataFrame:
    """The rows with some that are refused, some that repeat others, and texts that have to be tidied."""
    first = rows.head(6)
    later = pl.col("rated_at") + timedelta(days=9)
    return pl.concat([
        rows,
        first.with_columns(item=pl.lit(None, pl.String)),
        first.head(3).with_columns(label=pl.lit("maybe")),
        first.head(2).with_columns(rater=pl.lit(" ")),
        first.with_columns(item=pl.format(" {} ", "item"), label=pl.lit("yes"), rated_at=later),
        first.head(1).with_columns(duration_s=pl.lit(-1.0), item=pl.lit("cafe\u0301")),
        first.head(1).with_columns(item=pl.lit("caf\u00e9")),
    ])  # fmt: skip


def options(**changes: object) -> ReadOptions:
    return ReadOptions(**{"question": "tone", "systems": frozenset({"gpt"}), **changes})  # type: ignore[arg-type]


def rules(ingest_rules: IngestRules = RULES, kinds: pl.DataFrame | None = None) -> CountRules:
    return CountRules(ingest_rules, kinds if kinds is not None else pl.DataFrame(schema=KINDS), OPTIONS.timezone, 50)


def teams(n: int) -> pl.DataFrame:
    """Ratings of `n` items by 30 people, ten teams of three who agree but on every seventh item."""
    rows = [
        (f"i{item}", f"r{3 * (item % 10) + place}", LABELS[item % 3 if place or item % 7 else 0])
        for item in range(n)
        for place in range(3)
    ]
    return pl.DataFrame(rows, schema=["item", "rater", "label"], orient="row")


def n_of_distinct_patterns(rows: pl.DataFrame) -> int:
    """How many ratings the distinct patterns have."""
    rated = pl.concat_str("rater", "label", separator=" ").sort()
    return int(rows.group_by("item").agg(rated.alias("rated"))["rated"].unique().list.len().sum())


CONFIGS = QuestionConfigs({"tone": QuestionConfig(labels=LABELS, systems=frozenset({"gpt"}))})
MONITORING = MonitoringConfigs({"tone": QuestionMonitoring(CONFIGS.of("tone"))})
RESULTS = (
    "agreement", "rater_quality", "system_accuracy", "label_windows", "rater_windows", "rater_scorecards", "charts",
)  # fmt: skip
NAMES = {"question_id": "questions", "rater_id": "raters", "label_id": "labels"}


class Projects:
    """Two warehouses: one that ingests files, and one that counts the same files as a dataset."""

    def __init__(self, folder: Path, counted_rules: CountRules | None = None, **changes: object) -> None:
        self.files, self.counted = folder / "files.duckdb", folder / "counted.duckdb"
        self.folder = folder / "ratings"
        self.folder.mkdir()
        self.rules, self.options = counted_rules or rules(), options(**changes)
        self.memory: str | None = "500 MB"
        self.engine = "duckdb"
        for db in (self.files, self.counted):
            close_run(db, open_run(db, "test", "1", now=START, timezone=OPTIONS.timezone), "succeeded", None, now=START)

    def write(self, name: str, rows: pl.DataFrame) -> None:
        path = self.folder / name
        path.parent.mkdir(exist_ok=True)
        rows.write_parquet(path)
        os.utime(path, (1_700_000_000, 1_700_000_000))

    @property
    def source(self) -> DatasetSource:
        return DatasetSource("ratings", self.folder, options=self.options, memory=self.memory, engine=self.engine)

    def count(self, **changes: bool) -> list[FileResult]:
        return count_datasets(self.counted, [self.source], self.rules, **changes)

    def ingest(self) -> list[FileResult]:
        result = find_files([FolderSource("ratings", self.folder, options=self.options)])
        return list(ingest(self.files, result.readable, self.rules.ingest))


@pytest.fixture(autouse=True)
def counting_warehouses_are_migrated(empty_warehouse: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Copy the tables of a migrated warehouse into memory: to migrate each one takes half a second."""

    def copy(con: duckdb.DuckDBPyConnection, **_: object) -> None:
        con.execute(f"attach '{empty_warehouse}' as template (read_only)")
        con.execute("copy from database template to memory")
        con.execute("detach template")

    monkeypatch.setattr(counting, "migrate", copy)


@pytest.fixture
def projects(tmp_path: Path) -> Projects:
    return Projects(tmp_path)


def stored(db: Path, *, batches: bool = True) -> dict[str, pl.DataFrame]:
    """All counts of the question tone, by name and in a fixed order."""
    with connect(db) as con:
        patterns = from_warehouse(con, "tone")
        windows = windows_from_warehouse(con, "tone", patterns.names, 50)
        results = {"patterns": patterns.frame, "days": windows.days, "last": windows.last}
        if batches:
            results["batches"] = windows.batches.drop("batch_id")
        for table in ("version_counts", "label_counts", "day_item_counts", "duration_counts", "rater_day_counts"):
            frame = con.table(f"internal.{table}").pl()
            for key, name in NAMES.items():
                if key in frame.columns:
                    frame = frame.join(con.table(f"internal.{name}").pl().select(key, name[:-1]), on=key).drop(key)
            results[table] = frame.select(sorted(frame.columns))
        versions = con.table("internal.version_day_counts").pl().rename({"pattern_id": "source"})
        results["versions"] = versions.join(patterns.names, on="source").select(
            "day", "item", "system_version", "n_items"
        )
    return {name: frame.sort(frame.columns) for name, frame in results.items()}


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


@pytest.mark.parametrize("rule", ["latest", "first", "error", "repeats"])
def test_the_new_files_of_a_run_count_as_one_file(tmp_path: Path, rule: str) -> None:
    """Also without times, and when all files are counted again."""
    projects = Projects(tmp_path, rules(replace(RULES, duplicates={"tone": DuplicateRule(rule)})))
    of_files = FolderSource("ratings", tmp_path / "one", options=projects.options)
    of_files.path.mkdir()
    frames = [ratings(30, 5 * place, seed=place, timed=place % 2 == 0) for place in range(5)]
    for run, places in enumerate(((0, 1, 2), (3, 4))):
        for place in places:
            projects.write(f"{place}.parquet", frames[place])
        pl.concat([frames[place] for place in places]).write_parquet(of_files.path / f"{run}.parquet")
        projects.count()
        list(ingest(projects.files, find_files([of_files]).readable, projects.rules.ingest))
        assert_same(projects, batches=False)
    projects.count(again=True)
    assert_same(projects, batches=False)


def test_a_dataset_counts_as_its_ingested_files(projects: Projects, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(count_memory, "BUCKET_ROWS", 100)  # several buckets
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
    assert projects.count() == []
    assert not has_pending_files(projects.counted, [projects.source])
    projects.count(again=True)
    assert_same(projects)
    assert totals(projects.counted) == totals(projects.files)
    with connect(projects.counted) as con:
        assert not [name for name, rows in run_checks(con).items() if rows.height]
        assert con.table("internal.ratings").pl().is_empty()
        assert con.table("internal.items").pl().is_empty()


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
            assert [result.error for result in process_questions(db, kind, due, CONFIGS, OPTIONS)] == [None]
        assert [update.error for update in update_charts(db, MONITORING, now=START + timedelta(days=90))] in (
            [],
            [None],
        )
        with connect(db) as con:
            tables = {name: con.table(name).pl().drop("run_id", "batch_id", strict=False) for name in RESULTS}
        results.append(tables)
    for name, counted in results[0].items():
        assert_frame_equal(counted.sort(counted.columns), results[1][name].sort(counted.columns), abs_tol=1e-12)
        assert counted.height, name


def test_the_queries_behind_alerts_answer_for_a_dataset_too(projects: Projects) -> None:
    rows = ratings(120)
    again = rows.filter(pl.col("rater") == "bob").head(9).with_columns(rater=pl.lit("bob #2"))  # further readings
    projects.write("1.parquet", pl.concat([rows, again]))
    projects.ingest()
    projects.count()
    configs = MonitoringConfigs({"tone": QuestionMonitoring(rules={"ratings_per_item": 3.0})})
    queries = {
        "new_label": "select label, n_ratings, first_at::date from ({}) order by label",
        "rater_missing": "select rater, n_ratings, last_at::date from ({}) order by rater",
        "ratings_per_item": "select n_annotators, n_ratings, sum(n_items)::bigint from ({}) group by all order by all",
    }
    answers: list[dict[str, Any]] = []
    for db in (projects.files, projects.counted):
        check_rules(db, configs, coefficient="krippendorff_alpha", now=START + timedelta(days=9))
        with connect(db) as con:
            con.execute(f"set timezone = '{OPTIONS.timezone}'")
            ((alert,),) = con.execute("select alert_id from alerts").fetchall()
            figures = {kind: figures_query(kind, alert) or "" for kind in queries}
            answers.append({kind: con.sql(text.format(figures[kind])).fetchall() for kind, text in queries.items()})
    assert answers[0] == answers[1]
    assert [len(rows) for rows in answers[0].values()] == [3, 4, 5]


def test_live_pages_send_nobody_to_items_that_are_not_stored(projects: Projects) -> None:
    projects.write("a.parquet", ratings(60))
    projects.count()
    projects.ingest()
    doubtful = {}
    for db in (projects.counted, projects.files):
        due = pending_questions(db, "evaluate", CONFIGS, OPTIONS, everything=False)
        assert [result.error for result in process_questions(db, "evaluate", due, CONFIGS, OPTIONS)] == [None]
        with connect(db) as con:
            doubtful[db.stem] = page_rows(con, "doubtful", {})["question"].to_list()
    assert doubtful == {"counted": [], "files": ["tone"]}


@pytest.mark.parametrize("change", ["changed", "removed"])
def test_a_file_that_changes_or_goes_is_counted_as_it_is_now(projects: Projects, change: str, tmp_path: Path) -> None:
    projects.write("a.parquet", ratings(60))
    projects.write("b.parquet", ratings(60, 30, seed=2))
    projects.count()
    if change == "removed":
        (projects.folder / "b.parquet").unlink()
    else:
        projects.write("b.parquet", ratings(50, 20, seed=3))
    (again,) = projects.count()
    assert again.status == "stored"
    gone = "1 file that was counted before is gone or cannot be read: b.parquet. Ratings that no other file holds"
    assert [note.startswith(gone) for note in again.warnings] == ([True] if change == "removed" else [])
    projects.ingest()
    assert_same(projects, batches=False)
    assert projects.count() == []


def test_a_count_that_breaks_off_changes_nothing(projects: Projects, monkeypatch: pytest.MonkeyPatch) -> None:
    projects.write("a.parquet", ratings(60))
    projects.count()
    before = stored(projects.counted)
    projects.write("b.parquet", ratings(60, 30, seed=2))

    def killed(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as broken:
        broken.setattr(storing, "_write_batches", killed)
        with pytest.raises(KeyboardInterrupt):
            projects.count()
    for name, frame in stored(projects.counted).items():
        assert_frame_equal(frame, before[name])
    assert not list(projects.counted.parent.glob("dataset-*"))
    projects.ingest()
    projects.count()
    assert stored(projects.counted)["patterns"].equals(stored(projects.files)["patterns"])


def test_raters_that_only_the_settings_declare_as_systems(tmp_path: Path) -> None:
    kinds = kinds_of_raters(CONFIGS)
    projects = Projects(tmp_path, rules(kinds=kinds), systems=frozenset())
    projects.write("a.parquet", ratings(60))
    projects.count()
    projects.ingest()
    for db in (projects.counted, projects.files):
        with connect(db) as con:
            set_rater_kinds(con, kinds)
    assert_same(projects, batches=False)
    projects.rules = rules()  # the settings call it a person now
    assert [result.status for result in projects.count()] == ["stored"]
    for db in (projects.counted, projects.files):
        with connect(db) as con:
            set_rater_kinds(con, kinds.clear())
    assert_same(projects, batches=False)


def test_many_raters_are_counted_sparsely(projects: Projects) -> None:
    rng = random.Random(3)
    rows = [(f"i{item}", f"r{rater}", rng.choice(LABELS)) for item in range(200) for rater in rng.sample(range(40), 3)]
    projects.write("a.parquet", pl.DataFrame(rows, schema=["item", "rater", "label"], orient="row"))
    projects.count()
    projects.ingest()
    assert_same(projects, batches=False)


def test_patterns_that_do_not_fit_into_the_memory_are_refused(
    projects: Projects, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(count_memory, "COUNT_BYTES", 25_000_000)
    projects.write("a.parquet", ratings(60))
    limit_memory(500_000_000)
    try:
        (failed,) = projects.count()
        limit_memory(25_000_000_000)
        (result,) = projects.count()
    finally:
        limit_memory(None)
    assert failed.status == "failed"
    assert "hardly repeat: their patterns have more than 20 ratings" in str(failed.detail)
    assert "Up to 6 GB would be enough (memory in [limits])" in str(failed.detail)
    assert result.status == "stored"


def test_only_the_ratings_of_distinct_patterns_leave_the_engine(
    projects: Projects, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = teams(600)
    projects.write("a.parquet", rows)
    seen = []
    monkeypatch.setattr(
        count_datasets_module, "count_with_duckdb", lambda *a: seen.append(count_with_duckdb(*a)) or seen[-1]
    )
    projects.count()
    (outcome,) = seen
    assert outcome.after.contents.height == n_of_distinct_patterns(rows) < rows.height / 10
    assert rows["rater"].n_unique() > 20


def test_rejected_rows_are_listed_up_to_a_number_and_all_counted(projects: Projects) -> None:
    projects.write("a.parquet", ratings(60).with_columns(label=pl.lit("maybe")).head(100))
    without_item = ratings(10).head(30).with_columns(item=pl.lit(None, pl.String))
    projects.write("b.parquet", pl.concat([ratings(10), without_item]))
    (result,) = projects.count()
    assert (result.counts.n_rejected, result.counts.n_ratings) == (130, ratings(10).height)
    with connect(projects.counted) as con:
        rows = con.table("rejected_rows").pl()
        by_file = con.table("rejects_by_reason").pl().select("file_name", "reason", "n_rejected", "first_row").rows()
        last_rows = set(con.table("rejects_by_reason").pl()["last_row"])
        assert not [name for name, result in run_checks(con).items() if result.height]
    assert sorted(by_file) == [
        ("a.parquet", "unknown_label", 100, 1), ("b.parquet", "missing_item", 30, ratings(10).height + 1),
    ]  # fmt: skip
    assert rows.height == 2 * (EXAMPLES + 1)
    assert "More rows of this file with this reason: 80." in rows.filter(pl.col("n_rows") == 80)["detail"].item()
    of_a, of_b = read_rejects(projects.counted).summary.to_dicts()
    assert (of_a["n_rejected"], of_a["first_row"], of_a["last_row"]) == (100, 1, None)  # the last one is not listed
    assert of_a["detail"].startswith("The label is not among the labels")
    assert (of_b["n_rejected"], of_b["last_row"]) == (30, None)
    assert last_rows == {None}


def test_a_question_has_its_ratings_in_one_place(projects: Projects) -> None:
    projects.write("a.parquet", ratings(20))
    projects.count()
    inbox = projects.folder.with_name("inbox")
    inbox.mkdir()
    ratings(20).write_csv(inbox / "tone.csv")
    result = find_files([FolderSource("inbox", inbox)]).readable
    (refused,) = ingest(projects.counted, result)
    assert refused.status == "rejected"
    assert "whose ratings are in the dataset ratings" in str(refused.detail)
    list(ingest(projects.files, result))
    (failed,) = count_datasets(projects.files, [projects.source], projects.rules)
    assert "has ratings from other sources" in str(failed.detail)
    with pytest.raises(InputError, match="stay in the dataset ratings: the warehouse has no earlier state of them"):
        agreement_as_of(projects.counted, "tone", START, QuestionConfig(), 0.95)


def test_ratings_that_arrive_elsewhere_while_a_dataset_is_counted(
    projects: Projects, monkeypatch: pytest.MonkeyPatch
) -> None:
    projects.write("a.parquet", ratings(20))

    def count_and_ingest(*job: Any) -> CountOutcome:
        outcome = count_with_duckdb(*job)
        projects.ingest()
        return outcome

    monkeypatch.setattr(count_datasets_module, "count_with_duckdb", count_and_ingest)
    (failed,) = count_datasets(projects.files, [projects.source], projects.rules)
    assert (failed.status, "has ratings from other sources" in str(failed.detail)) == ("failed", True)
    assert stored(projects.files)["patterns"].height > 10  # those of the ingested file


@pytest.mark.parametrize(
    ("files", "sentence"),
    [
        ({}, "has no Parquet file"),
        ({"a.parquet": b"no Parquet file"}, "a.parquet is not a complete Parquet file"),
        ({"a.parquet": pl.DataFrame({"text": ["x"], "label": ["yes"]})}, "known as the item"),
        ({"a.parquet": pl.DataFrame({"item": [1], "rater": ["a"], "label": ["x"], "n_items": [3]})}, "rating patterns"),
    ],
)
def test_a_dataset_that_cannot_be_counted_says_why(projects: Projects, files: dict[str, object], sentence: str) -> None:
    for name, content in files.items():
        if isinstance(content, bytes):
            (projects.folder / name).write_bytes(content)
            os.utime(projects.folder / name, (1_700_000_000, 1_700_000_000))
        elif isinstance(content, pl.DataFrame):
            projects.write(name, content)
    (failed,) = projects.count()
    assert failed.status == "failed"
    assert sentence in str(failed.detail)
    assert has_pending_files(projects.counted, [projects.source])


def test_files_with_columns_of_several_types_are_one_dataset(projects: Projects) -> None:
    rows = ratings(30).with_columns(item=pl.col("item").str.slice(1).cast(pl.Int64)).select("item", "rater", "label")
    projects.write("day=1/a.parquet", rows)
    projects.count()
    projects.write("day=2/b.parquet", rows.with_columns(pl.col("item").cast(pl.Float64), label=pl.lit("yes")).head(20))
    projects.count()
    projects.ingest()
    assert_same(projects, batches=False)


TYPES: dict[str, dict[str, pl.Expr]] = {
    "text and numbers": {
        "0": pl.col("item").cast(pl.String), "1": pl.col("item"), "2": pl.col("item").cast(pl.Float64),
        "3": pl.col("item").cast(pl.Float32), "4": pl.col("item").cast(pl.Int16),
    },
    "times": {
        "0": pl.col("rated_at"), "1": pl.col("rated_at").dt.replace_time_zone(None),
        "2": pl.col("rated_at").dt.to_string("iso"), "3": pl.col("rated_at").dt.date(),
        "4": pl.col("rated_at").dt.epoch("s"),
    },
    "names": {
        "0": pl.col("item"), "1": pl.col("item").alias("ITEM"), "2": pl.col("item"), "3": pl.col("item").alias("Item"),
        "4": pl.col("rater").alias("Rater"),
    },
    "fractions": {
        "0": pl.col("label") / 10, "1": (pl.col("label") / 10).cast(pl.Float32),
        "2": (pl.col("label") / 10).cast(pl.String), "3": pl.col("label") / 10,
        "4": (pl.col("label") / 10).cast(pl.Float32),
    },
    "labels": {
        "0": pl.col("label"), "1": pl.col("label").cast(pl.Float64), "2": pl.col("label").cast(pl.String),
        "3": pl.col("label"), "4": pl.col("label").cast(pl.String).cast(pl.Categorical),
    },
}  # fmt: skip


@pytest.mark.parametrize("kind", TYPES)
@pytest.mark.parametrize("once", [True, False], ids=["at once", "one by one"])
def test_a_column_of_another_type_in_some_files_has_the_same_texts(tmp_path: Path, kind: str, once: bool) -> None:
    projects = Projects(tmp_path, rules(replace(RULES, labels={})))
    numbers = dict(zip(LABELS, (1, 2, 3), strict=True))
    for name, expression in TYPES[kind].items():
        rows = ratings(30, 20 * int(name), seed=int(name)).with_columns(
            item=pl.col("item").str.slice(1).cast(pl.Int64), label=pl.col("label").replace_strict(numbers)
        )
        own = expression.meta.output_name()
        rows = rows.with_columns(expression).drop({own.lower()} - {own})
        projects.write(f"{name}.parquet", rows)
        if not once:
            assert [result.status for result in projects.count()] == ["stored"]
            projects.ingest()
    if once:
        projects.count()
        projects.ingest()
    assert_same(projects, batches=False)


def test_a_column_that_is_not_there_is_told_as_a_key_of_the_source(projects: Projects) -> None:
    """A dataset is read by its settings: the option --columns that other files get does not exist for it."""
    projects.write("a.parquet", ratings(20))
    source = replace(projects.source, options=ReadOptions(question="tone", columns={"item": "itemm"}))
    (failed,) = count_datasets(projects.files, [source], projects.rules)
    assert str(failed.detail).endswith('Map the role to one of them: columns = { item = "NAME" } in this [[source]].')


def test_a_proposed_mapping_is_told_as_a_key_of_the_source(projects: Projects) -> None:
    """And no wide table is proposed, because a dataset is a long one."""
    rows = ratings(20).rename({"item": "doc id", "rater": "coder", "label": "code"}).select("doc id", "coder", "code")
    projects.write("a.parquet", rows)
    (failed,) = count_datasets(projects.files, [projects.source], projects.rules)
    assert "--columns" not in str(failed.detail)
    assert 'columns = { item = "doc id", rater = "coder", label = "code" } in this [[source]]' in str(failed.detail)

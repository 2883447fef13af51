"""A dataset counted on a Spark cluster of two worker processes gives the tables that DuckDB gives."""

import json
import os
import random
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from polars.testing import assert_frame_equal

from tasks.ingest.datasets.count_datasets import count_datasets
from tasks.ingest.datasets.count_job import CountOutcome
from tasks.ingest.datasets.spark_session import spark_session
from tasks.sources.dataset import DatasetSource
from tests.cluster.standalone import standalone_cluster
from tests.tasks.ingest.datasets.test_count_datasets import (
    LABELS,
    Projects,
    bad,
    n_of_distinct_patterns,
    ratings,
    reasons,
    rules,
    teams,
    totals,
)
from tests.tasks.ingest.datasets.test_dataset_slices import sliced, with_language
from tests.tasks.ingest.datasets.test_spark_rows import by_content
from warehouse.connect import connect
from warehouse.maintenance.integrity import run_checks

pytestmark = [
    pytest.mark.skipif(shutil.which("java") is None, reason="Spark needs Java, which is not here"),
    pytest.mark.filterwarnings("ignore"),  # of Spark itself, with pandas 3
]
# The id of a batch says when it came, and no run has the id of another.
QUERY = "from {} order by all"
OWN = {"run_id", "batch_id"}
SETTINGS = """
[[source]]
type = "dataset"
path = "ratings"
engine = "{engine}"
question = "tone"
systems = ["gpt"]

[questions.tone]
labels = ["no", "some", "yes"]
slices = ["language"]
"""


@pytest.fixture(scope="module")
def master(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with standalone_cluster(tmp_path_factory.mktemp("cluster")) as address:
        yield address


@pytest.fixture(scope="module")
def session(master: str) -> Iterator[Any]:
    """Share one session between the counts of this module, because a session is slow to start."""
    with spark_session(master) as started:
        yield started


class Engines(Projects):
    """Two warehouses that count the same files: one with DuckDB, one with Spark."""

    def count_both(self) -> None:
        for db, engine in ((self.files, "duckdb"), (self.counted, "spark")):
            results = count_datasets(db, [self.on(engine)], self.rules)
            assert [result.status for result in results] == ["stored"], results[0].detail

    def on(self, engine: str) -> DatasetSource:
        return replace(self.source, engine=engine)

    def assert_equal(self) -> None:
        with_duckdb, with_spark = by_content(self.files), by_content(self.counted)
        for name in with_duckdb:
            assert_frame_equal(with_spark[name], with_duckdb[name], check_dtypes=False)
        assert with_duckdb["patterns"].height > 10
        assert totals(self.counted) == totals(self.files)
        assert reasons(self.counted) == reasons(self.files)
        with connect(self.counted) as con:
            assert not [name for name, rows in run_checks(con).items() if rows.height]


# The first test: a session of this process would hold all cores of the cluster.
def test_a_whole_run_evaluates_what_spark_counted(tmp_path: Path, master: str, prefect_server: str) -> None:
    figures = {}
    for engine in ("duckdb", "spark"):
        project = tmp_path / engine
        (project / "ratings").mkdir(parents=True)
        with_language(ratings(400)).write_parquet(project / "ratings" / "a.parquet")
        with_language(ratings(100, 350, seed=2)).write_parquet(project / "ratings" / "b.parquet")
        (project / "kappaflow.toml").write_text(SETTINGS.format(engine=engine))
        environment = {"PREFECT_API_URL": prefect_server, "KAPPAFLOW_SPARK_MASTER": master}
        _kappaflow("run", "--project", str(project), **environment)
        assert (project / "report.html").exists()
        figures[engine] = {
            table: _without_own_ids(_kappaflow("sql", QUERY.format(table), "--json", "--project", str(project)))
            for table in ("agreement", "rater_quality", "system_accuracy")
        }
    assert figures["spark"] == figures["duckdb"]
    assert any('"krippendorff_alpha"' in row for row in figures["spark"]["agreement"])
    assert any('"slice:language=l1"' in row for row in figures["spark"]["system_accuracy"])


def test_the_stored_tables_are_equal(tmp_path: Path, session: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    from tasks.ingest.datasets import count_with_spark

    monkeypatch.setattr(count_with_spark, "BUCKET_ROWS", 400)  # several buckets
    engines = Engines(tmp_path)
    engines.write("a.parquet", bad(ratings(300)))
    engines.write("b.parquet", ratings(100, 300, seed=4).with_columns(item=pl.format(" {}", "item")))
    engines.count_both()
    engines.assert_equal()
    engines.write("c.parquet", bad(pl.concat([ratings(60, 250, seed=2), ratings(10, 500)])))
    engines.count_both()
    engines.assert_equal()
    assert count_datasets(engines.counted, [engines.on("spark")], engines.rules) == []
    assert count_datasets(engines.counted, [engines.on("duckdb")], engines.rules) == []


def test_slices_are_equal(tmp_path: Path, session: Any) -> None:
    engines = Engines(tmp_path, replace(rules(), slices=("language",)))
    engines.write("a.parquet", with_language(ratings(90)))
    engines.count_both()
    engines.write("b.parquet", with_language(ratings(30, 80, seed=2), lambda number: number % 2))
    engines.count_both()
    engines.assert_equal()
    assert_frame_equal(sliced(engines.counted), sliced(engines.files))
    assert sliced(engines.counted)["value"].unique().sort().to_list() == ["l0", "l1", "l2"]


def test_only_distinct_patterns_come_to_the_driver(
    tmp_path: Path, session: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    from tasks.ingest.datasets import count_with_spark

    rows, seen = teams(600), []
    outcome_of = count_with_spark.outcome_of

    def watched(sums: pl.DataFrame, *rest: Any) -> CountOutcome:
        seen.append(sums.filter(pl.col("part") == "content").height)
        return outcome_of(sums, *rest)

    monkeypatch.setattr(count_with_spark, "outcome_of", watched)
    engines = Engines(tmp_path)
    engines.write("a.parquet", rows)
    engines.count_both()
    engines.assert_equal()
    assert seen == [n_of_distinct_patterns(rows)]
    assert seen[0] < rows.height / 10


def test_many_raters_come_as_sparse_counts(tmp_path: Path, session: Any) -> None:
    rng, engines = random.Random(3), Engines(tmp_path)
    rows = [(f"i{item}", f"r{rater}", rng.choice(LABELS)) for item in range(300) for rater in rng.sample(range(60), 3)]
    engines.write("a.parquet", pl.DataFrame(rows, schema=["item", "rater", "label"], orient="row"))
    engines.count_both()
    engines.assert_equal()


def test_a_table_of_the_catalog_is_counted_as_its_files(tmp_path: Path, session: Any) -> None:
    engines = Engines(tmp_path)
    engines.write("a.parquet", ratings(60))
    session.sql("drop table if exists tone_ratings")
    session.sql(f"create external table tone_ratings using parquet location '{engines.folder}'")
    try:
        table = replace(engines.on("spark"), path=Path("tone_ratings"), table="tone_ratings")
        assert [result.status for result in count_datasets(engines.files, [engines.on("duckdb")], engines.rules)] == [
            "stored"
        ]
        results = count_datasets(engines.counted, [table], engines.rules)
        assert [result.status for result in results] == ["stored"], results[0].detail
        assert_frame_equal(by_content(engines.counted)["patterns"], by_content(engines.files)["patterns"])
        assert count_datasets(engines.counted, [table], engines.rules) == []
        (failed,) = count_datasets(engines.counted, [replace(table, table="no_such", name="no")], engines.rules)
        assert "is not a table whose rows lie in Parquet files" in str(failed.detail)
    finally:
        session.sql("drop table tone_ratings")


def _without_own_ids(rows: str) -> list[str]:
    kept = [{name: value for name, value in row.items() if name not in OWN} for row in json.loads(rows)]
    return sorted(json.dumps(row) for row in kept)


def _kappaflow(*arguments: str, **environment: str) -> str:
    """The command in this environment, which has Spark."""
    code = "from flows.cli import main; main()"
    result = subprocess.run([sys.executable, "-c", code, *arguments], env={**os.environ, **environment}, timeout=600,
                            capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False)  # fmt: skip
    assert result.returncode == 0, result.stderr
    return result.stdout

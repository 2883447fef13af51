"""Slices of a dataset are those of the same files, ingested."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest
from polars.testing import assert_frame_equal

from tasks.evaluate.evaluation_options import QuestionConfigs
from tasks.evaluate.pending_questions import pending_questions
from tasks.ingest.datasets import bucket_counter, count_memory, count_with_spark
from tasks.ingest.datasets.count_datasets import count_datasets
from tasks.ingest.datasets.spark_rows import TaskError
from tasks.question_runs import process_questions
from tests.tasks.ingest.datasets.test_count_datasets import (
    CONFIGS,
    OPTIONS,
    Projects,
    counting_warehouses_are_migrated,
    ratings,
    rules,
    teams,
)
from tests.tasks.ingest.datasets.test_spark_rows import count_like_spark
from warehouse.connect import connect
from warehouse.maintenance.integrity import run_checks
from warehouse.patterns import slice_patterns
from warehouse.questions import metadata_keys

__all__ = ["counting_warehouses_are_migrated"]
KEYS = ("language", "rater")  # a rater is no metadata
SLICED = QuestionConfigs({"tone": replace(CONFIGS.of("tone"), slices=("language",))})


@pytest.fixture(params=["duckdb", "spark"])
def projects(tmp_path: Path, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Projects:
    monkeypatch.setattr(count_with_spark, "count_with_spark", count_like_spark)
    monkeypatch.setattr(count_memory, "BUCKET_ROWS", 100)  # several buckets
    projects = Projects(tmp_path, replace(rules(), slices=KEYS))
    projects.engine = request.param
    return projects


def with_language(rows: pl.DataFrame, names: Callable[[pl.Expr], pl.Expr] = lambda number: number % 3) -> pl.DataFrame:
    number = names(pl.col("item").str.slice(1).cast(pl.Int64))
    return rows.with_columns(language=pl.format(" l{} ", number))


def sliced(db: Path) -> pl.DataFrame:
    """The items by value and content of their pattern."""
    with connect(db) as con:
        contents = (
            con.table("internal.pattern_ratings").pl()
            .join(con.table("internal.raters").pl(), on="rater_id")
            .join(con.table("internal.labels").pl(), on="label_id")
            .group_by("pattern_id")
            .agg(content=pl.concat_str("rater", "label", separator=" ").sort().str.join(", "))
        )  # fmt: skip
        result = slice_patterns(con, "tone", "language").join(contents, on="pattern_id")
    return result.group_by("value", "content").agg(pl.col("n_items").cast(pl.Int64).sum()).sort("value", "content")


def assert_same_slices(projects: Projects) -> None:
    projects.ingest()
    projects.count()
    counted = sliced(projects.counted)
    assert_frame_equal(counted, sliced(projects.files))
    assert counted["value"].n_unique() > 1
    with connect(projects.counted) as con:
        assert metadata_keys(con) == [("tone", "language")]
        assert not [name for name, rows in run_checks(con).items() if rows.height]
        assert con.table("internal.item_metadata").pl().is_empty()


def test_new_files_corrections_and_changed_files(projects: Projects) -> None:
    projects.write("a.parquet", with_language(ratings(90)))
    assert_same_slices(projects)
    projects.write("b.parquet", with_language(ratings(30, 80, seed=2), lambda number: number % 2))
    projects.write("c.parquet", ratings(10, 85, seed=3))  # it has no such column
    assert_same_slices(projects)
    with connect(projects.counted) as con, connect(projects.files) as files:
        query = "select value, n_items, krippendorff_alpha from agreement_by('tone', 'language') order by value"
        assert_frame_equal(con.sql(query).pl(), files.sql(query).pl(), check_dtypes=False)
        query = "select value, n_items, n_agree from pair_agreement_by('tone', 'bob', 'gpt', 'language') order by value"
        assert_frame_equal(con.sql(query).pl(), files.sql(query).pl(), check_dtypes=False)
        assert con.sql(query).pl().height > 1


def test_the_results_of_slices_are_the_same(projects: Projects) -> None:
    projects.write("a.parquet", with_language(ratings(200)))
    projects.ingest()
    projects.count()
    results = []
    for db in (projects.counted, projects.files):
        due = pending_questions(db, "evaluate", SLICED, OPTIONS, everything=False)
        assert [result.error for result in process_questions(db, "evaluate", due, SLICED, OPTIONS)] == [None]
        with connect(db) as con:
            results.append(
                [
                    con.table(name).pl().drop("run_id").filter(pl.col("scope").str.starts_with("slice:"))
                    for name in ("agreement", "system_accuracy")
                ]
            )
    for counted, ingested in zip(*results, strict=True):
        assert_frame_equal(counted.sort(counted.columns), ingested.sort(ingested.columns), abs_tol=1e-12)
        assert counted["scope"].unique().sort().to_list() == [f"slice:language=l{i}" for i in range(3)]


@pytest.mark.parametrize(
    ("n_varying", "note"),
    [
        (1, "1 item has several values of 'language', and so no slice by it."),
        (40, "'language' has several values for 40 items: it tells something about ratings."),
    ],
)
def test_items_with_several_values_are_in_no_slice(projects: Projects, n_varying: int, note: str) -> None:
    rows = with_language(ratings(200))
    varies = pl.col("item").is_in([f"i{item}" for item in range(n_varying)]) & (pl.col("rater") == "gpt")
    projects.write("a.parquet", rows.with_columns(language=pl.when(varies).then(pl.lit("other")).otherwise("language")))
    projects.count()
    due = pending_questions(projects.counted, "evaluate", SLICED, OPTIONS, everything=False)
    (result,) = process_questions(projects.counted, "evaluate", due, SLICED, OPTIONS)
    assert result.notes == (f"tone: {note}",)
    with connect(projects.counted) as con:
        scopes = con.table("agreement").pl()["scope"].unique()
    assert [scope for scope in scopes if "other" in scope] == []
    assert any(scope.startswith("slice:") for scope in scopes) == (n_varying == 1)


def test_a_column_with_too_many_values_is_refused(projects: Projects, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bucket_counter, "max_counts", lambda: 180)  # more than the ratings of the patterns
    projects.write("a.parquet", teams(600).with_columns(language="item"))
    sentence = "have too many values for slices: their more than 180 counts"
    if projects.engine == "spark":
        with pytest.raises(TaskError, match=sentence):
            projects.count()
        return
    (failed,) = projects.count()
    assert (failed.status, sentence in str(failed.detail)) == ("failed", True)


def test_other_slices_are_a_reason_to_count_again(projects: Projects) -> None:
    projects.write("a.parquet", with_language(ratings(60)))
    projects.rules = rules()
    projects.count()
    assert sliced(projects.counted).is_empty()
    projects.rules = replace(rules(), slices=KEYS)
    assert_same_slices(projects)
    assert count_datasets(projects.counted, [projects.source], projects.rules) == []

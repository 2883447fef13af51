"""What a dataset holds is said from its footers and first rows."""

from pathlib import Path

import polars as pl
import pytest

from flows.project_folder import find_project
from flows.settings import task_inputs
from tasks.errors import ReadError
from tasks.formats import ReadOptions
from tasks.ingest.datasets.count_datasets import count_datasets
from tasks.single_file.inspect_dataset import inspect_dataset
from tasks.sources.dataset import DatasetSource
from warehouse.connect import connect
from warehouse.questions import raters_in_force

ROWS = {"item": ["1", "1", "2"], "rater": ["ann", "gpt", " "], "label": ["yes", "no", "yes"]}


def test_files_columns_first_rows_and_what_cannot_be_read(tmp_path: Path) -> None:
    pl.DataFrame(ROWS).write_parquet(tmp_path / "a.parquet")
    pl.DataFrame(ROWS | {"rated_at": ["2026-01-01"] * 3}).write_parquet(tmp_path / "b.parquet")
    (tmp_path / "c.parquet").write_text("no Parquet file")
    source = DatasetSource("tone", tmp_path, options=ReadOptions(question="tone", systems=frozenset({"gpt"})))
    held = inspect_dataset(source)
    assert (held["n_files"], held["n_rows"], held["n_judged"], held["version"]) == (2, 6, 3, None)
    assert held["n_bytes"] == sum((tmp_path / f"{name}.parquet").stat().st_size for name in "ab")
    assert held["columns"] == {"item": "item", "rater": "rater", "label": "label", "time": "rated_at"}
    assert held["unreadable"] == [{"file": "c.parquet", "detail": "c.parquet is not a complete Parquet file."}]
    assert held["questions"] == [{"question": "tone", "n_raters": 2, "labels": ["no", "yes"]}]
    assert [(row["rater"], row["rater_kind"]) for row in held["first_rows"]] == [  # type: ignore[attr-defined]
        ("ann", "human"), ("gpt", "system"),
    ]  # fmt: skip
    assert [row["reason"] for row in held["rejects"]] == ["missing_rater"]  # type: ignore[attr-defined]


@pytest.mark.parametrize("named", ["question", None])
def test_a_project_with_the_lines_for_the_settings_counts_the_dataset(tmp_path: Path, named: str | None) -> None:
    """The lines are pasted into the settings of a project elsewhere; its inbox keeps its own source."""
    folder, project = tmp_path / "data" / "tone", tmp_path / "project"
    folder.mkdir(parents=True)
    coded = {"doc": ["1", "1", "2", "2"], "coder": ["ann", "gpt"] * 2, "code": ["yes", 'a "no"', "yes", "yes"]}
    pl.DataFrame(coded | ({named: ["mood"] * 4} if named else {})).write_parquet(folder / "a.parquet")
    options = ReadOptions(columns={"item": "doc", "rater": "coder", "label": "code"}, systems=frozenset({"gpt"}))
    held = inspect_dataset(DatasetSource("tone", folder, options=options))
    (project / "inbox").mkdir(parents=True)
    (project / "kappaflow.toml").write_text(str(held["toml"]))
    loaded = find_project(project)
    (source,) = task_inputs.dataset_sources(loaded)
    (counted,) = count_datasets(loaded.warehouse, [source], task_inputs.count_rules(loaded))
    assert (counted.status, counted.counts.n_ratings, counted.counts.n_rejected) == ("stored", 4, 0)
    with connect(loaded.warehouse, read_only=True) as con:
        stored = raters_in_force(con)
    assert sorted(stored) == [("mood" if named else "tone", "ann"), ("mood" if named else "tone", "gpt")]
    question = loaded.settings.questions["mood" if named else "tone"]
    assert question.labels == ['a "no"', "yes"]


def test_labels_of_some_rows_only_are_not_declared(tmp_path: Path) -> None:
    pl.DataFrame(ROWS).write_parquet(tmp_path / "a.parquet")
    pl.DataFrame(ROWS | {"label": ["other"] * 3}).write_parquet(tmp_path / "b.parquet")
    lines = str(inspect_dataset(DatasetSource("tone", tmp_path))["toml"]).splitlines()
    assert '# labels = ["no", "yes"]' in lines
    assert not any(line.startswith("labels") for line in lines)


def test_labels_that_look_like_sets_are_read_as_sets(tmp_path: Path) -> None:
    labels = ["billing;bug", "billing;bug", "bug;ui", "billing;ui", "ui", "bug"] * 5
    rows = {"item": [str(i) for i in range(30)], "rater": ["ann"] * 30, "label": labels}
    pl.DataFrame(rows).write_parquet(tmp_path / "a.parquet")
    text = str(inspect_dataset(DatasetSource("tone", tmp_path))["toml"])
    assert 'columns = { "label_separator" = ";" }' in text
    assert 'labels = ["billing", "bug", "ui"]' in text


def test_a_folder_without_readable_files_is_refused(tmp_path: Path) -> None:
    (tmp_path / "c.parquet").write_text("no Parquet file")
    with pytest.raises(ReadError, match=r"No file of the dataset .* can be read"):
        inspect_dataset(DatasetSource("tone", tmp_path))


def test_a_file_with_damaged_pages_is_named(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    numbers = [str(number) for number in range(3000)]
    pl.DataFrame({"item": numbers, "rater": ["ann"] * 3000, "label": numbers}).write_parquet(path)
    content = path.read_bytes()
    path.write_bytes(content[:4] + b"\xff" * (len(content) // 2 - 4) + content[len(content) // 2 :])
    with pytest.raises(ReadError, match=r"a\.parquet cannot be read: its pages are damaged"):
        inspect_dataset(DatasetSource("tone", tmp_path))

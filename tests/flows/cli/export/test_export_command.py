"""`export`, and `sql` with a format and a file, on a small published project."""

import json
from datetime import UTC, datetime
from pathlib import Path

import duckdb
import polars as pl
import pytest

from flows.cli import app
from tasks.errors import InputError
from tasks.runs.run_records import close_run, open_run
from warehouse.publication.snapshot import publish, read_table

NOW = datetime(2026, 3, 1, tzinfo=UTC)


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("project")
    (folder / "inbox").mkdir()
    db = folder / "warehouse.duckdb"
    close_run(db, open_run(db, "test", "1", now=NOW), "succeeded", "=1+1", now=NOW)
    publish(db, folder / "published")
    return folder


def called(*arguments: object) -> None:
    app([str(argument) for argument in arguments], prog_name="kappaflow", standalone_mode=False)


def test_every_table_and_view_can_be_written(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    called("export", "--json", "--project", project)
    names = json.loads(capsys.readouterr().out)
    assert {"runs", "latest_agreement", "disagreement_queue"} <= set(names)
    snapshot = project / "published" / "snapshot.duckdb"
    assert all(read_table(snapshot, name).width for name in names)


@pytest.mark.parametrize("ending", ["csv", "parquet", "xlsx", "md", "json", "jsonl"])
def test_the_ending_or_the_option_chooses_the_format(project: Path, tmp_path: Path, ending: str) -> None:
    by_ending, by_option, by_query = (tmp_path / name for name in (f"runs.{ending}", "runs", "query"))
    called("export", "runs", "--project", project, "--out", by_ending)
    called("export", "runs", "--project", project, "--out", by_option, "--format", ending)
    called("sql", "from runs", "--project", project, "--out", by_query, "--format", ending)
    assert by_ending.stat().st_size > 0
    if ending == "xlsx":  # it holds the time at which it was made
        tables = [pl.read_excel(path.read_bytes()) for path in (by_ending, by_option, by_query)]
        assert tables[0].equals(tables[1])
        assert tables[0].equals(tables[2])
    else:
        assert by_ending.read_bytes() == by_option.read_bytes() == by_query.read_bytes()


def test_without_a_file_it_goes_to_stdout(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    called("export", "runs", "--project", project)
    assert "'=1+1" in capsys.readouterr().out
    called("export", "runs", "--project", project, "--json")
    assert json.loads(capsys.readouterr().out)[0]["detail"] == "=1+1"
    called("sql", "select '=x' as a", "--format", "jsonl", "--project", project)
    assert capsys.readouterr().out == '{"a": "=x"}\n'


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["export", "runns"], "There is no table or view 'runns'. Did you mean 'runs'?"),
        (["export", "runs", "--format", "odt"], "--format 'odt' is unknown."),
        (["export", "runs", "--out", "runs"], "The ending of runs is not a format."),
        (["export", "runs", "--json", "--format", "csv"], "--json and --format exclude each other."),
        (["sql", "from runs", "--csv", "--format", "csv"], "--csv, --json and --format exclude each other."),
        (["export", "runs", "--out", "none/runs.csv"], "There is no folder none."),
    ],
)
def test_what_is_wrong_is_said(project: Path, arguments: list[str], sentence: str) -> None:
    with pytest.raises(InputError) as caught:
        called(*arguments, "--project", project)
    assert str(caught.value) == sentence
    assert caught.value.hint


def test_dbt_sources_are_written_with_the_schema_of_the_postgres_target(project: Path, tmp_path: Path) -> None:
    path = tmp_path / "sources.yml"
    called("export", "--dbt-sources", path, "--project", project)
    assert "else 'kappaflow') }}" in path.read_text()
    settings = project / "kappaflow.toml"
    settings.write_text('[[publish.target]]\ntype = "postgres"\nschema = "quality"\n')
    called("export", "--dbt-sources", path, "--project", project)
    settings.unlink()
    assert "else 'quality') }}" in path.read_text()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--dbt-sources", "x.yml", "runs"), "--dbt-sources writes its own file"),
        (("--dbt-sources", "x.yml", "--json"), "--dbt-sources writes its own file"),
        (("--dbt-sources", "."), r"\. cannot be written: it is a folder"),
        (("--dbt-sources", "nowhere/x.yml"), "there is no such folder"),
    ],
)
def test_dbt_sources_that_cannot_be_written(project: Path, arguments: tuple[str, ...], message: str) -> None:
    with pytest.raises(InputError, match=message):
        called("export", *arguments, "--project", project)


@pytest.mark.parametrize("ending", ["csv", "xlsx", "md", "json", "jsonl", "parquet", "table"])
def test_integers_beyond_64_bits_are_exact_in_every_format(
    project: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], ending: str
) -> None:
    query, file = "select 27670116110564327421::hugeint as n", tmp_path / f"n.{ending}"
    if ending == "table":
        called("sql", query, "--project", project)
        shown = capsys.readouterr().out
    else:
        called("sql", query, "--project", project, "--out", file)
        if ending == "xlsx":
            shown = str(pl.read_excel(file).rows())
        elif ending == "parquet":
            shown = str(duckdb.read_parquet(str(file)))
        else:
            shown = file.read_text(encoding="utf-8")
    assert "27670116110564327421" in shown.replace(",", "")


def test_integers_that_no_decimal_holds_are_texts_in_parquet(project: Path, tmp_path: Path) -> None:
    file = tmp_path / "n.parquet"
    called("sql", f"select {2**127 - 1}::hugeint as n, 1 as small", "--project", project, "--out", file)
    assert duckdb.read_parquet(str(file)).fetchall() == [(str(2**127 - 1), 1)]

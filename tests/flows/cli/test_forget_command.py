"""forget-rater: asks, counts, and refuses whom the settings name."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from flows.cli import app
from tasks.errors import InputError
from warehouse.batches import Batch, store_batch
from warehouse.connect import connect
from warehouse.migrate import migrate


@pytest.fixture
def project(tmp_path: Path) -> Path:
    from datetime import UTC, datetime

    import polars as pl

    from schemas.rating_columns import METADATA, RATINGS, REJECTS

    rows = [
        dict.fromkeys(RATINGS) | {"question": "q", "item": "1", "rater": rater, "rater_kind": "human", "label": "A"}
        for rater in ("wilma", "expert")
    ]
    now = datetime(2026, 1, 1, tzinfo=UTC)
    batch = Batch(
        batch_id="b", source=None, file_name="f.csv", sha256=None, reader="long", status="stored", n_rows=2,
        n_skipped=0, started_at=now,
    )  # fmt: skip
    with connect(tmp_path / "warehouse.duckdb") as con:
        migrate(con)
        rejects, metadata = pl.DataFrame(schema=dict(REJECTS)), pl.DataFrame(schema=dict(METADATA))
        store_batch(con, batch, pl.DataFrame(rows, schema=dict(RATINGS)), rejects, metadata, now=now)
    (tmp_path / "kappaflow.toml").write_text('[questions.q]\ngold = ["expert"]\n')
    return tmp_path


def forget(project: Path, *options: str) -> str:
    result = CliRunner().invoke(app, ["forget-rater", *options, "--project", str(project)], catch_exceptions=False)
    return result.output


def test_a_dry_run_changes_nothing(project: Path) -> None:
    before = (project / "warehouse.duckdb").read_bytes()
    value = json.loads(forget(project, "wilma", "--dry-run", "--json"))
    assert (value["dry_run"], value["n_ratings"], value["pseudonym"]) == (True, 1, None)
    assert value["tables"] == [{"table": "internal.raters", "column": "rater", "n_rows": 1}]
    assert any("export files" in place for place in value["not_reached"])
    assert (project / "warehouse.duckdb").read_bytes() == before
    assert not (project / "forgotten-raters.key").exists()


def test_it_asks_unless_told_not_to(project: Path) -> None:
    with pytest.raises(InputError, match="cannot be undone"):
        forget(project, "wilma")
    value = json.loads(forget(project, "wilma", "--as", "w1", "--yes", "--json"))
    assert (value["pseudonym"], value["dry_run"], value["left"]) == ("w1", False, [])
    assert b"wilma" not in (project / "warehouse.duckdb").read_bytes()


def test_whom_the_settings_name_has_to_leave_them_first(project: Path) -> None:
    with pytest.raises(InputError, match=r"kappaflow.toml names 'expert': \[questions.q\] gold") as error:
        forget(project, "expert", "--yes")
    assert "--as PSEUDONYM" in error.value.hint

"""A table that needs more memory than there is, is not read: the system might end the process."""

import json
from collections.abc import Iterator
from pathlib import Path

import polars as pl
import pytest

from tasks.errors import UnavailableError
from tasks.formats.parsing import table_memory
from tasks.formats.parsing.text_table import read_table
from tasks.ingest.ingest_files import ingest
from tasks.sources.folder import FolderSource, single_file
from warehouse.connect import connect
from warehouse.memory_limit import limit_memory, process_memory
from warehouse.migrate import migrate

N_ROWS = 20_000


@pytest.fixture(autouse=True)
def unlimited() -> Iterator[None]:
    yield
    limit_memory(None)


@pytest.fixture(params=["csv", "jsonl"])
def table(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    path = tmp_path / f"ratings.{request.param}"
    rows = [{"item": f"i{n // 5}", "rater": f"r{n % 5}", "label": "xy"[n % 2]} for n in range(N_ROWS)]
    lines = [json.dumps(row) for row in rows] if request.param == "jsonl" else [",".join(row.values()) for row in rows]
    path.write_text("\n".join(lines if request.param == "jsonl" else ["item,rater,label", *lines]))
    return path


def test_a_table_that_fits_is_read(table: Path) -> None:
    limit_memory(20_000_000)
    assert read_table(table).frame.height == N_ROWS


def test_a_table_that_does_not_fit_is_refused_with_its_size(table: Path) -> None:
    limit_memory(3_000_000)
    with pytest.raises(UnavailableError) as caught:
        read_table(table)
    start = f"{table.name} has about "
    assert str(caught.value).startswith(start)
    n_rows = int(str(caught.value).removeprefix(start).split(" rows", maxsplit=1)[0].replace(",", ""))
    assert n_rows == pytest.approx(N_ROWS, rel=0.1)
    assert str(caught.value).endswith(" MiB of memory, and 2.86 MiB is the limit.")
    assert caught.value.hint == (
        "Split it into files of at most 10,000 rows, or give more memory ([limits] memory in kappaflow.toml)."
    )


def test_without_a_limit_four_fifths_of_the_machine_hold(table: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert process_memory() > 100_000_000
    assert read_table(table).frame.height == N_ROWS
    monkeypatch.setattr(table_memory, "ROW_BYTES", process_memory() // N_ROWS + 100_000)
    with pytest.raises(UnavailableError, match=r"GiB is four fifths of this machine's\.$"):
        read_table(table)


def test_the_file_is_tried_again_and_read_once_there_is_memory(table: Path) -> None:
    db = table.parent / "warehouse.duckdb"
    with connect(db) as con:
        migrate(con)
    file = single_file(table, FolderSource("inbox", table.parent))
    limit_memory(3_000_000)
    (failed,) = ingest(db, [file])
    assert (failed.status, failed.reason) == ("failed", "unavailable")
    assert failed.detail is not None
    assert failed.detail.endswith("([limits] memory in kappaflow.toml). The next run tries it again.")
    limit_memory(None)
    (stored,) = ingest(db, [file])
    assert (stored.status, stored.counts.n_ratings) == ("stored", N_ROWS)
    with connect(db, read_only=True) as con:
        assert con.sql("select count(*) as n from ratings").pl().equals(pl.DataFrame({"n": [N_ROWS]}))

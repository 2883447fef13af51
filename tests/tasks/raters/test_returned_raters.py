"""An older backup that is restored brings names of forgotten raters back, and that is said."""

import shutil
from pathlib import Path

import pytest

from tasks.raters.forget_rater import forget_rater
from tasks.raters.returned_raters import returned_finding, returned_raters
from tasks.setting_names import noted_names
from tests.tasks.raters.test_forget_rater import HEADER, take
from warehouse.errors import WarehouseError
from warehouse.raters.forgotten_names import key_path
from warehouse.raters.returned_names import hashes_path

NAMES = ("Anna Berg", "Bob Rot")
ROWS = "".join(f"{item},{name},A,2026-01-01\n" for item in (1, 2) for name in (*NAMES, "carl"))


@pytest.fixture
def project(db: Path, tmp_path: Path) -> Path:
    take(db, tmp_path / "inbox", "first.csv", HEADER + ROWS)
    return db


def forget(db: Path, name: str) -> None:
    forget_rater(db, db.parent / "published", name, {})


def shown(db: Path) -> list[str]:
    (finding,) = returned_finding(db)
    assert finding.ok == (not finding.rows)
    assert [row["command"] for row in finding.rows] == [
        f"kappaflow forget-rater '{row['name']}'" for row in finding.rows
    ]
    return [row["name"] for row in finding.rows]


@pytest.mark.parametrize("n_before", [0, 1])
def test_a_backup_from_before_that_brings_names_back_is_told_until_they_are_forgotten_again(
    project: Path, tmp_path: Path, n_before: int
) -> None:
    assert (returned_raters(project), shown(project)) == ([], [])
    for name in NAMES[:n_before]:
        forget(project, name)
    shutil.copy(project, tmp_path / "backup.duckdb")
    for name in NAMES[n_before:]:
        forget(project, name)
    assert (returned_raters(project), shown(project)) == ([], [])
    shutil.copy(tmp_path / "backup.duckdb", project)
    for i in range(n_before, 2):
        (sentence,) = noted_names(project, [])
        assert sentence.startswith(("2 names of forgotten raters are back", "1 name of forgotten raters is back")[i])
        assert not any(part in sentence for name in NAMES for part in name.split()), "what a run says stays in logs"
        assert shown(project) == list(NAMES[i:])
        forget(project, NAMES[i])
    assert (returned_raters(project), shown(project)) == ([], [])


def test_a_new_warehouse_that_reads_the_exports_again_is_told(project: Path, tmp_path: Path) -> None:
    forget(project, NAMES[0])
    project.unlink()
    take(project, tmp_path / "inbox", "first.csv", HEADER + ROWS)
    assert shown(project) == [NAMES[0]]


def test_who_was_forgotten_by_an_older_kappaflow_is_told_as_far_as_it_is_known(project: Path, tmp_path: Path) -> None:
    shutil.copy(project, tmp_path / "backup.duckdb")
    forget(project, NAMES[0])
    forgotten = hashes_path(project).read_text()
    hashes_path(project).unlink()
    shutil.copy(project, tmp_path / "after.duckdb")
    shutil.copy(tmp_path / "backup.duckdb", project)
    (sentence,) = returned_raters(project)
    assert sentence.startswith("Raters were forgotten here (forgotten-raters.key), but this warehouse")
    shutil.copy(tmp_path / "after.duckdb", project)
    assert returned_raters(project) == [], "a run with the warehouse that knows them writes the file"
    assert hashes_path(project).read_text() == forgotten
    assert hashes_path(project).stat().st_mode & 0o077 == 0
    assert not [path for path in project.parent.iterdir() if path.name.startswith(f".{hashes_path(project).name}")]


def test_without_the_key_no_name_is_recognized(project: Path) -> None:
    forget(project, NAMES[0])
    key_path(project).unlink()
    assert (returned_raters(project), shown(project)) == ([], [])


def test_a_file_that_cannot_be_read_fails_no_run(project: Path) -> None:
    forget(project, NAMES[0])
    hashes_path(project).unlink()
    hashes_path(project).mkdir()
    (sentence,) = returned_raters(project)
    assert sentence.startswith(f"{hashes_path(project)} could not be read: ")
    (finding,) = returned_finding(project)
    assert (finding.ok, finding.found) == (False, sentence.split(" Let the user")[0])
    with pytest.raises(WarehouseError, match=r"could not be read: .* The name is replaced in the tables") as error:
        forget(project, NAMES[1])
    assert "give the same command again" in error.value.hint
    hashes_path(project).rmdir()
    forget(project, NAMES[1])
    assert (returned_raters(project), len(hashes_path(project).read_text().split())) == ([], 2)

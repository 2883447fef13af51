"""A run on a project whose warehouse is gone: what is left of it is kept."""

from pathlib import Path

from flows.project_folder import find_project
from flows.run_tracking import _keep_what_is_left
from tests.gate_project import rating_rows, write_table
from tests.tasks.inbox import InboxProject
from warehouse.connect import connect
from warehouse.publication.snapshot import publish


def test_the_snapshot_of_a_warehouse_that_is_gone_becomes_a_backup(tmp_path: Path) -> None:
    made = InboxProject(tmp_path)
    project = find_project(tmp_path)
    write_table(made.inbox / "tone.csv", rating_rows(5))
    made.ingest()
    publish(made.db, project.published)
    assert _keep_what_is_left(project) == [], "the warehouse is there"
    made.db.unlink()
    (note,) = _keep_what_is_left(project)
    (backup,) = project.backups.iterdir()
    assert f"is now the backup {backup};" in note
    assert project.snapshot.exists(), "readers go on"
    project.snapshot.unlink()
    backup.rename(project.warehouse)
    with connect(project.warehouse) as con:
        assert con.sql("select count(distinct item) from current_ratings").fetchall() == [(5,)]


def test_a_new_project_has_nothing_to_keep(tmp_path: Path) -> None:
    project = find_project(tmp_path)
    assert _keep_what_is_left(project) == []
    assert not project.backups.exists()

"""What becomes of targets, good and bad, and what is remembered of them."""

import json
from pathlib import Path
from shutil import copytree

import pytest

from tasks.errors import InputError
from tasks.publish import publish_targets
from tasks.publish.publication_state import are_current, read_publications
from tasks.publish.publish_elsewhere import publish_elsewhere
from tasks.publish.publish_targets import ParquetTarget, PostgresTarget, Publication, require_extras
from tasks.sources.object_store.address import parse
from tasks.sources.object_store.store_source import ObjectStore
from tests.tasks.publish.conftest import republish
from tests.tasks.sources.object_store.conftest import Bucket

SECRET = "hunter2"
POSTGRES = PostgresTarget("KAPPAFLOW_POSTGRES_URL", "kappaflow", ("runs",))  # one table is quicker


def objects_at(path: str, bucket: Bucket, folder: Path) -> ParquetTarget:
    store = ObjectStore(path, parse(path), folder / "objects", endpoint=bucket.endpoint)
    return ParquetTarget(store, keep=1, tables=("runs",))


def test_targets_that_fail_say_so_and_do_not_stop_the_others(
    snapshot: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("psycopg", reason="the extra `postgres` is not installed")
    monkeypatch.setenv("KAPPAFLOW_POSTGRES_URL", f"postgresql://u:{SECRET}@127.0.0.1:1/d")
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "k")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", SECRET)
    path = "s3://bucket/x"
    store = ObjectStore(path, parse(path), tmp_path / "objects", endpoint="http://127.0.0.1:1", region="us-east-1")
    targets = [POSTGRES, PostgresTarget("KAPPAFLOW_NOT_SET", "k"), ParquetTarget(store, 1)]
    state = tmp_path / ".kappaflow" / "publications.json"
    notes = [publication.note for publication in publish_elsewhere(targets, snapshot, state)]
    assert notes == [
        "Nothing was published to Postgres (KAPPAFLOW_POSTGRES_URL), schema kappaflow: the server cannot be reached. "
        "Check that it runs, and the URL in KAPPAFLOW_POSTGRES_URL. The next run tries again.",
        "Nothing was published to Postgres (KAPPAFLOW_NOT_SET), schema k: the environment variable KAPPAFLOW_NOT_SET "
        "is not set. The next run tries again.",
        "Nothing was published to s3://bucket/x: s3://bucket/x cannot be reached. Check the network and the endpoint. "
        "Nothing is lost: the next run looks again.",
    ]
    assert SECRET not in state.read_text()
    assert [row["status"] for row in read_publications(state).values()] == ["failed", "unset", "failed"]
    assert not are_current(state, targets, snapshot)


def test_a_bug_in_a_library_does_not_fail_the_run(
    snapshot: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(target: object, snapshot: object) -> None:
        raise ValueError(f"postgresql://u:{SECRET}@h")

    pytest.importorskip("psycopg", reason="the extra `postgres` is not installed")
    monkeypatch.setenv("KAPPAFLOW_POSTGRES_URL", "postgresql://h/d")
    monkeypatch.setattr("tasks.publish.postgres.write_postgres.write_postgres", broken)
    (publication,) = publish_elsewhere([POSTGRES], snapshot, tmp_path / "state.json")
    assert publication.error == "it ended with ValueError."


def test_a_target_is_current_until_there_is_another_snapshot(
    db: Path, snapshot: Path, database: str, tmp_path: Path
) -> None:
    state = tmp_path / "state.json"
    assert are_current(state, [], snapshot)
    assert not are_current(state, [POSTGRES], snapshot)
    (publication,) = publish_elsewhere([POSTGRES], snapshot, state)
    assert publication.note.startswith("Published to Postgres (KAPPAFLOW_POSTGRES_URL), schema kappaflow: 1 row in")
    assert are_current(state, [POSTGRES], snapshot)
    assert not are_current(state, [POSTGRES, PostgresTarget("OTHER", "x")], snapshot)
    first = read_publications(state)[POSTGRES.name]["written_at"]
    assert not are_current(state, [POSTGRES], republish(db))
    assert database not in state.read_text()
    state.write_text(json.dumps([{"target": POSTGRES.name, "written_at": first}]))
    publish_elsewhere([PostgresTarget("KAPPAFLOW_POSTGRES_URL", "kappaflow", ("nowhere",))], snapshot, state)
    row = read_publications(state)[POSTGRES.name]
    assert (row["status"], row["written_at"]) == ("failed", first)
    state.write_text("{")
    assert read_publications(state) == {}


def test_a_copied_folder_says_so_when_it_first_publishes(
    bucket: Bucket, db: Path, snapshot: Path, tmp_path: Path
) -> None:
    """The target has a run that the copy has, too: only the folder shows that there are two."""
    path = f"s3://{bucket.name}/team"
    target = objects_at(path, bucket, tmp_path)
    original, copy = (tmp_path / name / ".kappaflow" / "publications.json" for name in ("original", "copy"))
    assert publish_elsewhere([target], snapshot, original)[0].remarks == ()
    copytree(original.parent, copy.parent)
    assert publish_elsewhere([target], snapshot, copy)[0].note == f"{path} is up to date."
    (publication,) = publish_elsewhere([target], republish(db, "update runs set detail = 'of the copy'"), copy)
    assert publication.note.endswith(
        "This project folder was copied or moved since it last published there. If a copy of this project publishes, "
        "too, name another `path` in one of them."
    )
    again = publish_elsewhere([target], republish(db, "update runs set detail = 'again'"), copy)
    assert (again[0].status, again[0].remarks) == ("written", ())
    original.parent.rename(tmp_path / "moved")
    moved = tmp_path / "moved" / "publications.json"
    assert publish_elsewhere([target], republish(db, "update runs set detail = 'moved'"), moved)[0].remarks == ()


def test_a_copy_without_the_record_says_that_it_replaced_a_publication(
    bucket: Bucket, db: Path, snapshot: Path, tmp_path: Path, database: str
) -> None:
    """`.kappaflow` was not copied: the target alone shows that somebody published there."""
    path = f"s3://{bucket.name}/team"
    targets = [objects_at(path, bucket, tmp_path), POSTGRES]
    original, copy = (tmp_path / name / ".kappaflow" / "publications.json" for name in ("original", "copy"))
    for folder in (original, copy):
        folder.parent.mkdir(parents=True)
    for publication in publish_elsewhere(targets, snapshot, original):
        assert (publication.remarks, publication.is_replacement) == ((), False)
    assert [publication.status for publication in publish_elsewhere(targets, snapshot, copy)] == ["unchanged"] * 2
    of_copy = publish_elsewhere(targets, republish(db, "update runs set detail = 'of the copy'"), copy)
    assert [publication.remarks for publication in of_copy] == [
        (
            "This replaced a publication of which this project folder has no record. If a copy of this project "
            f"publishes, too, name another `{place}` in one of them.",
        )
        for place in ("path", "schema")
    ]
    again = publish_elsewhere(targets, republish(db, "update runs set detail = 'again'"), copy)
    assert [(publication.status, publication.remarks) for publication in again] == [("written", ())] * 2


def test_a_copy_says_once_what_it_finds(bucket: Bucket, db: Path, tmp_path: Path) -> None:
    path = f"s3://{bucket.name}/team"
    target = objects_at(path, bucket, tmp_path)
    original, copy = (tmp_path / name / ".kappaflow" / "publications.json" for name in ("original", "copy"))
    insert = "insert into runs by name select * replace ('of the original' as run_id, "
    insert += "'2026-03-02'::timestamptz as started_at) from runs where run_id = 'first'"
    republish(db)  # the first run, which the other is made from
    publish_elsewhere([target], republish(db, insert), original)
    copytree(original.parent, copy.parent)
    of_copy = republish(db, "update runs set run_id = 'of the copy' where run_id = 'of the original'")
    (publication,) = publish_elsewhere([target], of_copy, copy)
    (remark,) = publication.remarks
    assert remark.startswith("A run that this project does not have (of the original) had written there. If a backup")
    assert "If a copy of this project publishes, too," in remark


def test_a_missing_extra_is_told_before_anything_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    require_extras([])
    monkeypatch.setattr(publish_targets, "find_spec", lambda name: None)
    with pytest.raises(InputError, match="needs the package psycopg, which is not installed") as caught:
        require_extras([POSTGRES])
    assert "kappaflow[pipeline,postgres]" in caught.value.hint


@pytest.mark.parametrize(
    ("publication", "note"),
    [
        (Publication("x", "unchanged", 3), "x is up to date."),
        (Publication("x", "written", 3, 3, 1200), "Published to x: 1,200 rows in 3 of 3 tables."),
        (
            Publication("x", "written", 3, 1, 7, remarks=("So.",)),
            "Published to x: 7 rows in 1 of 3 tables; the others are unchanged. So.",
        ),
    ],
)
def test_notes_say_what_was_sent(publication: Publication, note: str) -> None:
    assert publication.note == note

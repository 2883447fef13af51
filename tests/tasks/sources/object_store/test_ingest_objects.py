"""Sources in an object store, against a real S3 server: what is listed, fetched, stored, put away, and said."""

import errno
import gzip
import json
import os
import time
from dataclasses import dataclass, replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from tasks.formats import ReadOptions
from tasks.formats.parsing.limits import Limits
from tasks.ingest.ingest_files import missing_files
from tasks.ingest.ingest_rules import IngestRules
from tasks.sources.object_store import known_objects
from tasks.sources.object_store.address import parse
from tasks.sources.object_store.fetch import copies
from tasks.sources.object_store.ingest_objects import ObjectResults, ingest_objects
from tasks.sources.object_store.store_source import ObjectStore
from warehouse.connect import connect
from warehouse.migrate import migrate

DAY = "item,rater,label\n1,anna,yes\n1,ben,no\n2,anna,yes\n2,ben,{}\n"


@dataclass
class Project:
    """A bucket as the source of a warehouse."""

    bucket: Any
    db: Path
    store: ObjectStore

    def run(self, *, retry_rejects: bool = False, **changes: Any) -> ObjectResults:
        return ingest_objects(self.db, [replace(self.store, **changes)], retry_rejects=retry_rejects)

    def rows(self, query: str) -> list[tuple[Any, ...]]:
        with connect(self.db) as con:
            return con.execute(query).fetchall()


@pytest.fixture
def project(bucket: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Project:
    monkeypatch.setattr(known_objects, "SETTLED", timedelta(0))  # else a fresh object is fetched once more
    db = tmp_path / "warehouse.duckdb"
    with connect(db) as con:
        migrate(con)
    address = parse(f"s3://{bucket.name}/labels")
    return Project(bucket, db, ObjectStore("labels", address, tmp_path / "home", endpoint=bucket.endpoint))


def test_objects_become_batches_known_by_their_bytes(project: Project) -> None:
    project.bucket.put("labels/tone/monday.csv", DAY.format("no"))
    project.bucket.put("labels/tuesday.csv", DAY.format("yes"))
    project.bucket.put("other/wednesday.csv", DAY.format("yes"))
    result = project.run()
    assert [(outcome.file_name, outcome.status, outcome.counts.n_ratings) for outcome in result.results] == [
        ("tone/monday.csv", "stored", 4),
        ("tuesday.csv", "stored", 4),
    ]
    assert project.rows("select distinct question from ratings order by 1") == [("tone",), ("tuesday",)]
    assert project.rows("select distinct source, length(sha256) from batches") == [("labels", 64)]
    assert list(project.store.home.glob("fetch-*")) == [], "no copy is left"


def test_what_is_known_is_not_fetched_again(project: Project) -> None:
    for n in range(8):
        project.bucket.put(f"labels/tone/{n}.csv", DAY.format(f"label {n}"))
    assert len(project.run().results) == 8
    before = project.bucket.n_fetched()
    again = project.run()
    assert (len(again.results), len(again.files)) == (0, 8)
    assert project.bucket.n_fetched() == before
    project.bucket.put("labels/tone/7.csv", DAY.format("another label"))
    assert [result.file_name for result in project.run().results] == ["tone/7.csv"]
    assert project.bucket.n_fetched() == before + 1


def test_a_fresh_object_is_fetched_once_more(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its time has seconds: it may change once more within the second in which it was fetched."""
    monkeypatch.setattr(known_objects, "SETTLED", timedelta(minutes=1))
    project.bucket.put("labels/a.csv", DAY.format("no"))
    assert len(project.run().results) == 1
    before = project.bucket.n_fetched()
    assert project.run().results == ()
    assert project.bucket.n_fetched() == before + 1


@pytest.mark.parametrize("content", ["", "[]", '{"x": 1}', '{"x": {"size": 1}}', "\x00", "[" * 100_000])
def test_what_is_remembered_may_be_lost(project: Project, content: str) -> None:
    project.bucket.put("labels/a.csv", DAY.format("no"))
    project.run()
    (project.store.home / known_objects.FILE).write_text(content)
    assert project.run().results == ()
    assert list(known_objects.load(project.store.home)) != []


def test_what_is_gone_is_forgotten_and_what_others_list_is_not(project: Project) -> None:
    for name in ("a.csv", "b.csv", "c.json"):
        project.bucket.put(f"labels/{name}", DAY.format(name))
    project.run()
    project.bucket.client.delete_object(Bucket=project.bucket.name, Key="labels/a.csv")
    project.bucket.client.delete_object(Bucket=project.bucket.name, Key="labels/c.json")
    project.run(pattern="*.csv")
    assert [name.rpartition("/")[2] for name in known_objects.load(project.store.home)] == ["b.csv", "c.json"]


@pytest.mark.parametrize(
    ("path", "names"),
    [
        ("labels/*.csv", ["a.csv"]),
        ("labels/**/*.csv", ["a.csv", "deep/er/b.csv", "tone/c.csv"]),
        ("labels/*/c.csv", ["tone/c.csv"]),
        ("labels/tone", ["c.csv", "d.json"]),
        ("labels/tone/d.json", ["d.json"]),
        ("labels/[ab].csv", ["a.csv"]),
        ("labels/nothing/*.csv", []),
    ],
)
def test_globs(project: Project, path: str, names: list[str]) -> None:
    hidden = ("labels/.hidden/x.csv", "labels/x.csv.part", "labels/~$x.csv", "labels/_SUCCESS", "labels-2/z.csv")
    for key in ("labels/a.csv", "labels/deep/er/b.csv", "labels/tone/c.csv", "labels/tone/d.json", *hidden):
        project.bucket.put(key, DAY.format(key))
    address = parse(f"s3://{project.bucket.name}/{path}")
    result = project.run(address=address, pattern=address.pattern or "**/*")
    assert [file.file_name for file in result.files] == names


def test_packed_objects_are_unpacked_by_the_reader_and_not_on_the_way(project: Project) -> None:
    project.bucket.put("labels/a.csv.gz", gzip.compress(DAY.format("no").encode(), mtime=0))
    (result,) = project.run().results
    assert (result.status, result.counts.n_ratings) == ("stored", 4)


def test_names_lead_nowhere(project: Project, tmp_path: Path) -> None:
    """Of a key only the last part names the copy, and that is no place of its own."""
    for key in ("labels/../../../evil.csv", "labels//evil.csv", "labels/x/../evil.csv", "labels/" + "n" * 300 + ".csv"):
        project.bucket.put(key, DAY.format("evil"))
    project.bucket.put("labels/a b\\c;$(x)'é.csv", DAY.format("no"))
    result = project.run()
    assert [(outcome.file_name, outcome.status) for outcome in result.results if outcome.status == "stored"] == [
        ("a b\\c;$(x)'é.csv", "stored")
    ]
    refused = [outcome for outcome in result.results if outcome.status != "stored"]
    assert {result.status for result in refused} == {"rejected"}
    assert len(refused) == 2, "what has .. in it counts as hidden"
    assert [path.name for path in tmp_path.parent.rglob("*evil*")] == []


def test_an_object_over_the_limit_is_not_fetched(project: Project) -> None:
    project.bucket.put("labels/big.csv", DAY.format("x" * 5000))
    project.bucket.put("labels/small.csv", DAY.format("no"))
    result = project.run(options=ReadOptions(limits=Limits(max_file_size=1000)))
    assert [(outcome.file_name, outcome.status) for outcome in result.results] == [
        ("big.csv", "rejected"),
        ("small.csv", "stored"),
    ]
    assert "max_file_size" in str(result.results[0].detail)
    assert project.bucket.n_fetched() == 1


def test_what_is_stored_is_moved_to_done_and_the_rest_stays(project: Project) -> None:
    project.bucket.put("labels/tone/a.csv", DAY.format("no"))
    project.bucket.put("labels/bad.csv", "nothing that is an export")
    assert len(project.run(move_done=True).results) == 2
    assert project.bucket.keys() == ["labels/bad.csv", "labels/done/tone/a.csv"]
    # The same name with other content: the number tells them apart; and the same content again is put away, too.
    project.bucket.put("labels/tone/a.csv", DAY.format("yes"))
    project.run(move_done=True)
    project.bucket.put("labels/tone/a.csv", DAY.format("yes"))
    assert project.run(move_done=True).results == ()
    keys = ["labels/bad.csv", *(f"labels/done/tone/a{n}.csv" for n in ("-2", "-3", ""))]
    assert project.bucket.keys() == keys
    assert project.run(move_done=True).files[0].file_name == "bad.csv"


def test_rejected_rows_are_read_again_from_done_too(project: Project) -> None:
    project.bucket.put("labels/tone/a.csv", DAY.format(""))
    project.run(move_done=True)
    assert project.rows("select count(*) from rejected_rows") == [(1,)]
    result = project.run(move_done=True, retry_rejects=True)
    assert (result.results, [file.file_name for file in result.files]) == ((), ["tone/a.csv"])
    assert missing_files(project.db, result.files) == []
    labels = {"tone": ["yes", "no"]}
    store = replace(project.store, move_done=True)
    again = ingest_objects(project.db, [store], IngestRules(labels), retry_rejects=True)
    assert [result.counts.n_rejected for result in again.results] == [1], (
        "other settings: it was fetched and read again"
    )
    assert project.bucket.keys() == ["labels/done/tone/a.csv"]


def test_full_exports_come_in_the_order_of_their_times(project: Project) -> None:
    project.bucket.put("labels/tone/b.csv", DAY.format("no"))
    _later(project, "labels/tone/a.csv", "item,rater,label\n1,anna,yes\n1,ben,no\n")
    result = project.run(full_export=True)
    assert [(outcome.file_name, outcome.counts.n_deleted) for outcome in result.results] == [
        ("tone/b.csv", 0),
        ("tone/a.csv", 2),
    ]


def test_parts_are_fetched_one_after_another(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tasks.sources.object_store.ingest_objects.PART_BYTES", 100)
    for n in range(5):
        project.bucket.put(f"labels/tone/{n}.csv", DAY.format(f"label {n}"))
    assert len(project.run().results) == 5


def test_copies_that_a_killed_run_left_are_removed_after_a_day(project: Project) -> None:
    for name, days in (("fetch-old", 2), ("fetch-new", 0)):
        (project.store.home / name).mkdir(parents=True)
        os.utime(project.store.home / name, (time.time() - days * 86400,) * 2)
    with copies(project.store) as folder:
        assert {path.name for path in project.store.home.iterdir()} == {"fetch-new", folder.name}


def _later(project: Project, key: str, text: str) -> None:
    """Put an object whose time, which has seconds, is after that of all others."""
    client, name = project.bucket.client, project.bucket.name
    latest = max(result["LastModified"] for result in client.list_objects_v2(Bucket=name)["Contents"])
    while True:
        project.bucket.put(key, text)
        if client.head_object(Bucket=name, Key=key)["LastModified"] > latest:
            return


def test_a_missing_bucket_fails_alone(project: Project) -> None:
    project.bucket.put("labels/a.csv", DAY.format("no"))
    gone = replace(project.store, name="gone", address=parse("s3://no-such-bucket/labels/*.csv"))
    result = ingest_objects(project.db, [gone, project.store])
    assert [(outcome.file_name, outcome.status) for outcome in result.results] == [
        ("s3://no-such-bucket/labels", "failed"),
        ("a.csv", "stored"),
    ]
    assert result.results[0].detail == (
        "s3://no-such-bucket/labels does not exist: there is no bucket 'no-such-bucket'. Correct the path, or make "
        "the bucket."
    )
    assert result.unreachable == {"gone"}


@pytest.mark.usefixtures("denied")
def test_denied_access_is_said(project: Project) -> None:
    (result,) = project.run().results
    assert result.status == "failed"
    assert "refuses access" in str(result.detail)
    assert "AWS_ACCESS_KEY_ID" in str(result.detail)
    assert "some secret" not in str(result.detail)


def test_a_store_that_cannot_be_reached_is_said(project: Project, port: int) -> None:
    (result,) = project.run(endpoint=f"http://127.0.0.1:{port}").results
    assert result.status == "failed"
    assert "cannot be reached. Check the network and the endpoint." in str(result.detail)


def test_of_a_store_that_does_not_answer_nothing_is_missing(project: Project, port: int) -> None:
    project.bucket.put("labels/a.csv", DAY.format(""))
    project.run()
    result = project.run(endpoint=f"http://127.0.0.1:{port}", retry_rejects=True)
    assert missing_files(project.db, result.files, result.unreachable) == []
    assert len(missing_files(project.db, result.files)) == 1


@pytest.mark.parametrize("scheme", ["gs", "az"])
def test_other_stores_that_cannot_be_reached_are_said(
    project: Project, port: int, scheme: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tasks.sources.object_store.connection.CONNECT_SECONDS", 0.4)
    monkeypatch.setenv("AZURE_STORAGE_ACCOUNT", "somebody")
    monkeypatch.setenv("AZURE_STORAGE_KEY", "c29tZSBzZWNyZXQ=")
    address = parse(f"{scheme}://bucket/labels")
    (result,) = project.run(address=address, endpoint=f"http://127.0.0.1:{port}").results
    assert result.status == "failed"
    assert str(result.detail).startswith(f"{scheme}://bucket/labels cannot be reached. Check the network")


def test_azure_asks_for_the_account(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("AZURE_STORAGE_ACCOUNT", raising=False)
    (result,) = project.run(address=parse("az://container/labels")).results
    assert result.detail == "There is no storage account for az://. Set AZURE_STORAGE_ACCOUNT in the environment."


def test_what_is_remembered_names_objects_and_no_keys(project: Project) -> None:
    project.bucket.put("labels/a.csv", DAY.format("no"))
    project.run()
    text = (project.store.home / known_objects.FILE).read_text()
    assert "some secret" not in text
    assert [sorted(seen) for seen in json.loads(text).values()] == [["modified_at", "sha256", "size"]]


@pytest.mark.field_trial(21)
@pytest.mark.parametrize(
    "place", ["tasks.formats.parsing.decompress._copy", "tasks.sources.object_store.fetch.hashlib.sha256"]
)
def test_no_room_for_a_copy_or_what_is_packed_in_it_is_no_refusal(
    project: Project, monkeypatch: pytest.MonkeyPatch, place: str
) -> None:
    """The object is fetched again by the next run, also where its hash was remembered."""
    project.bucket.put("labels/a.csv.gz", gzip.compress(DAY.format("no").encode(), mtime=0))

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as disk:
        disk.setattr(place, full)
        (failed,) = project.run().results
    assert failed.status == "failed"
    assert "No space left on device" in str(failed.detail)
    assert project.rows("select count(*) from batches") == [(0,)]
    assert [(result.status, result.counts.n_ratings) for result in project.run().results] == [("stored", 4)]
    assert project.run().results == ()


@pytest.mark.field_trial(11)
@pytest.mark.parametrize("move_done", [False, True])
def test_two_sources_on_one_object_are_two_batches(project: Project, move_done: bool) -> None:
    project.bucket.put("labels/both.csv", "item,rater,mood,tone\n1,ann,sad,rude\n2,ann,glad,kind\n")
    stores = [
        replace(project.store, options=ReadOptions(columns={"label": name}, question=name), move_done=move_done)
        for name in ("mood", "tone")
    ]
    assert [result.counts.n_ratings for result in ingest_objects(project.db, stores).results] == [2, 2]
    assert project.rows("select question, count(*) from ratings group by question order by 1") == [
        ("mood", 2),
        ("tone", 2),
    ]
    assert project.bucket.keys() == ["labels/done/both.csv" if move_done else "labels/both.csv"]
    before = project.bucket.n_fetched()
    assert ingest_objects(project.db, stores).results == ()
    assert project.bucket.n_fetched() == before

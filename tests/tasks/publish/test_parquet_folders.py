"""Publishing Parquet files to a real S3 server (moto)."""

import json
import re
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import polars as pl
import pytest

from tasks.errors import SourceError
from tasks.publish import parquet_folders as module
from tasks.publish.parquet_folders import write_parquet_folder
from tasks.publish.publish_targets import ParquetTarget, PublicationError
from tasks.sources.object_store.address import parse
from tasks.sources.object_store.store_source import ObjectStore
from tests.tasks.publish.conftest import republish
from tests.tasks.sources.object_store.conftest import Bucket
from warehouse.connect import connect
from warehouse.publication.published_tables import published_names


@pytest.fixture
def target(bucket: Bucket, tmp_path: Path) -> ParquetTarget:
    path = f"s3://{bucket.name}/team/kappaflow"
    return ParquetTarget(ObjectStore(path, parse(path), tmp_path / "objects", endpoint=bucket.endpoint), keep=1)


@pytest.fixture
def few(target: ParquetTarget) -> ParquetTarget:
    """The same with two tables, which is quicker."""
    return replace(target, tables=("batches", "runs"))


def content(bucket: Bucket, key: str) -> bytes:
    return bytes(bucket.client.get_object(Bucket=bucket.name, Key=key)["Body"].read())


def manifest(bucket: Bucket) -> dict[str, Any]:
    value: dict[str, Any] = json.loads(content(bucket, "team/kappaflow/latest.json"))
    return value


def folders(bucket: Bucket) -> set[str]:
    return {key.split("/")[2] for key in set(bucket.keys()) if key.endswith(".parquet")}


def test_the_manifest_names_a_whole_folder(bucket: Bucket, target: ParquetTarget, snapshot: Path) -> None:
    publication = write_parquet_folder(target, snapshot)
    latest = manifest(bucket)
    with connect(snapshot, read_only=True) as con:
        names = set(published_names(con))
    assert latest["tables"].keys() == names
    assert publication.n_changed == publication.n_tables == len(names)
    assert re.fullmatch(r"\d{8}T\d{6}Z-[0-9a-f]{8}", latest["folder"])
    assert set(bucket.keys()) == {
        "team/kappaflow/latest.json",
        *(f"team/kappaflow/{latest['folder']}/{name}.parquet" for name in names),
    }
    runs = pl.read_parquet(content(bucket, f"team/kappaflow/{latest['tables']['runs']['path']}"))
    assert runs.select("run_id", "status").rows() == [("first", "succeeded")]
    assert runs["started_at"].dtype == pl.Datetime("us", "UTC")
    assert not list(target.store.home.iterdir())


def test_what_did_not_change_is_copied_within_the_store_and_old_folders_go(
    bucket: Bucket,
    few: ParquetTarget,
    db: Path,
    snapshot: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    write_parquet_folder(few, snapshot)
    first = manifest(bucket)["folder"]
    assert write_parquet_folder(few, republish(db)).status == "unchanged"
    assert folders(bucket) == {first}
    sent: list[str] = []
    send = module._send
    monkeypatch.setattr(module, "_send", lambda *values: (sent.append(values[3].name), send(*values)))
    bucket.put("team/kappaflow/notes/mine.txt", "mine")
    publication = write_parquet_folder(few, republish(db, "update runs set status = 'failed'"))
    second = manifest(bucket)["folder"]
    assert sent == ["runs"]
    assert (publication.n_changed, publication.remarks) == (1, ())
    assert folders(bucket) == {first, second}
    assert len([key for key in set(bucket.keys()) if second in key]) == publication.n_tables
    write_parquet_folder(few, republish(db, "update runs set status = 'succeeded'"))
    assert folders(bucket) == {second, manifest(bucket)["folder"]}
    assert "team/kappaflow/notes/mine.txt" in set(bucket.keys())


def test_the_former_folder_is_the_newest_also_within_one_second(
    bucket: Bucket, few: ParquetTarget, db: Path, snapshot: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "datetime", SimpleNamespace(now=lambda _: datetime(2026, 3, 1, tzinfo=UTC)))
    endings = iter(["cccccccc", "bbbbbbbb", "aaaaaaaa"])
    monkeypatch.setattr(module, "secrets", SimpleNamespace(token_hex=lambda _: next(endings)))
    write_parquet_folder(few, snapshot)
    for status in ("failed", "succeeded"):
        write_parquet_folder(few, republish(db, f"update runs set status = '{status}'"))
    assert folders(bucket) == {"20260301T000000Z-bbbbbbbb", "20260301T000000Z-aaaaaaaa"}


def test_a_publication_that_breaks_off_leaves_the_former_one(
    bucket: Bucket,
    few: ParquetTarget,
    db: Path,
    snapshot: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    write_parquet_folder(few, snapshot)
    before = manifest(bucket)
    snapshot = republish(db, "update runs set status = 'failed'", "create table mine as select 1 as n")
    more = replace(few, tables=(*few.tables, "mine"))
    send = module._send

    def broken(*values: Any) -> None:
        if values[3].name == "runs":
            raise OSError("the disk is full")
        send(*values)

    monkeypatch.setattr(module, "_send", broken)
    with pytest.raises(OSError, match="the disk is full"):
        write_parquet_folder(more, snapshot)
    assert manifest(bucket) == before
    monkeypatch.setattr(module, "_send", send)
    write_parquet_folder(more, snapshot)
    latest = manifest(bucket)
    assert latest["tables"].keys() - before["tables"].keys() == {"mine"}
    assert all(f"team/kappaflow/{table['path']}" in set(bucket.keys()) for table in latest["tables"].values())
    assert before["folder"] in folders(bucket), "the folder that readers may still have open stays"


def test_what_is_not_of_this_project_is_not_overwritten(
    bucket: Bucket,
    few: ParquetTarget,
    db: Path,
    snapshot: Path,
) -> None:
    write_parquet_folder(few, snapshot)
    with pytest.raises(PublicationError, match="another project publishes there"):
        write_parquet_folder(few, republish(db, "update runs set run_id = 'of another project'"))
    bucket.put("team/kappaflow/latest.json", "[1]")
    with pytest.raises(PublicationError, match=r"latest.json there is not kappaflow's"):
        write_parquet_folder(few, snapshot)
    assert content(bucket, "team/kappaflow/latest.json") == b"[1]"


def test_a_copy_of_the_project_that_publishes_to_the_same_prefix_is_named(
    bucket: Bucket, few: ParquetTarget, db: Path, snapshot: Path
) -> None:
    assert write_parquet_folder(few, snapshot).remarks == ()
    insert = "insert into runs by name select * replace ('of the original' as run_id, "
    insert += "'2026-03-02'::timestamptz as started_at) from runs where run_id = 'first'"
    assert write_parquet_folder(few, republish(db, insert)).remarks == ()
    copy = republish(db, "update runs set run_id = 'of the copy' where run_id = 'of the original'")
    (remark,) = write_parquet_folder(few, copy).remarks
    assert remark == (
        "A run that this project does not have (of the original) had written there. If a backup was restored since, "
        "that is why. If a copy of this project publishes, too, name another `path` in one of them."
    )
    assert manifest(bucket)["run_id"] == "of the copy"
    assert write_parquet_folder(few, copy).remarks == ()


def test_a_table_whose_name_is_a_path_is_refused(target: ParquetTarget, db: Path, bucket: Bucket) -> None:
    with pytest.raises(PublicationError, match=r"no file can have the name '\.\./\.\./up'"):
        write_parquet_folder(target, republish(db, 'create table "../../up" as select 1 as n'))
    assert bucket.keys() == []


def test_a_store_that_refuses_is_told(target: ParquetTarget, snapshot: Path, denied: None) -> None:
    with pytest.raises(SourceError, match="refuses access"):
        write_parquet_folder(target, snapshot)

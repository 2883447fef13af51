"""`inspect` of one object in a bucket of a real S3 server."""

import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tasks.errors import InputError, SourceError
from tasks.formats import ReadOptions
from tasks.formats.parsing.limits import Limits
from tasks.single_file.inspect_file import inspect_file, inspect_object
from tasks.sources.object_store import single_object
from tasks.sources.object_store.address import parse
from tasks.sources.object_store.fetch import FetchedObject
from tasks.sources.object_store.store_source import ObjectStore

DAY = "item,rater,label\n" + "".join(f"{i},{r},{'yes' if i % 3 else 'no'}\n" for i in range(9) for r in ("a", "b"))


@pytest.fixture
def store(bucket: Any, tmp_path: Path) -> Callable[..., ObjectStore]:
    def at(inside: str, **more: Any) -> ObjectStore:
        address = parse(f"s3://{bucket.name}/{inside}")
        home, pattern = tmp_path / "home", address.pattern or "**/*"
        return ObjectStore("labels", address, home, pattern=pattern, endpoint=bucket.endpoint, **more)

    return at


@pytest.mark.parametrize("address", ["labels/tone.csv", "labels", "**/*.csv"])
def test_an_object_is_inspected_as_a_file_is(
    bucket: Any, store: Callable[..., ObjectStore], tmp_path: Path, address: str
) -> None:
    bucket.put("labels/tone.csv", DAY)
    bucket.put("labels/.hidden.csv", DAY)
    (tmp_path / "tone.csv").write_text(DAY)
    result, expected = inspect_object(store(address)), inspect_file(tmp_path / "tone.csv")
    settings = tomllib.loads(str(result.pop("toml")))
    expected.pop("toml")
    assert result == expected
    (source,) = settings["source"]
    assert (source["path"], source["pattern"]) == (f"s3://{bucket.name}/labels", "**/*.csv")
    assert source["endpoint"] == bucket.endpoint
    assert bucket.keys() == ["labels/.hidden.csv", "labels/tone.csv"]
    assert not (tmp_path / "home").exists()


def test_what_is_not_one_object_is_refused(bucket: Any, store: Callable[..., ObjectStore]) -> None:
    with pytest.raises(InputError, match=rf"There is no export at s3://{bucket.name}/labels\.") as none:
        inspect_object(store("labels"))
    assert f"such as s3://{bucket.name}/labels/monday.json" in none.value.hint
    bucket.put("labels/tone/a.csv", DAY)
    bucket.put("labels/tone/b.csv", DAY)
    with pytest.raises(InputError, match=rf"There are 2 exports at s3://{bucket.name}/labels, and") as two:
        inspect_object(store("labels/**/*.csv"))
    assert two.value.hint == f"Name it, for example s3://{bucket.name}/labels/tone/a.csv."
    small = ReadOptions(limits=Limits(max_file_size=10))
    with pytest.raises(InputError, match=r"a\.csv is larger than max_file_size allows \(10 bytes\)"):
        inspect_object(store("labels/tone/a.csv", options=small))
    assert bucket.n_fetched() == 0


def test_an_object_that_goes_meanwhile(
    bucket: Any, store: Callable[..., ObjectStore], monkeypatch: pytest.MonkeyPatch
) -> None:
    bucket.put("labels/tone.csv", DAY)
    monkeypatch.setattr(single_object, "fetch", lambda files, store, objects, folder: [FetchedObject(objects[0])])
    with pytest.raises(InputError, match="was changed or removed"):
        inspect_object(store("labels/tone.csv"))
    error = SourceError("It broke.")
    monkeypatch.setattr(
        single_object, "fetch", lambda files, store, objects, folder: [FetchedObject(objects[0], error=error)]
    )
    with pytest.raises(SourceError, match="It broke"):
        inspect_object(store("labels/tone.csv"))


def test_the_command_takes_an_address_with_the_endpoint_of_the_environment_or_the_project(
    bucket: Any, tmp_path: Path, kappaflow: Any, kappaflow_json: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    bucket.put("labels/tone.csv", DAY)
    address = f"s3://{bucket.name}/labels/tone.csv"
    assert kappaflow_json("inspect", address)["n_ratings"] == 18
    assert f'path = "s3://{bucket.name}/labels"' in kappaflow("inspect", address).stdout
    monkeypatch.delenv("AWS_ENDPOINT_URL")
    (tmp_path / "kappaflow.toml").write_text(f'[[source]]\npath = "s3://other"\nendpoint = "{bucket.endpoint}"\n')
    assert kappaflow_json("inspect", address)["n_ratings"] == 18
    assert sorted(path.name for path in tmp_path.iterdir()) == ["kappaflow.toml"]
    output = kappaflow("inspect", "s3://no-such-bucket/labels.csv", code=2).stderr
    assert "there is no bucket 'no-such-bucket'" in output
    assert "names one container" in kappaflow("inspect", "az://", code=2).stderr
    assert "There is no file no-such.csv" in kappaflow("inspect", "no-such.csv", code=2).stderr


@pytest.mark.parametrize("command", ["agree", "accuracy"])
def test_other_commands_say_that_they_read_files_of_this_machine(kappaflow: Any, command: str) -> None:
    output = kappaflow(command, "s3://bucket/tone.csv", code=2).stderr
    assert "s3://bucket/tone.csv is in an object store" in output
    assert "`kappaflow inspect` and `kappaflow ingest` take such an address" in output

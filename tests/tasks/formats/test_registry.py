"""What holds for every format in the registry, so that a new one is one file, one line and one folder of fixtures."""

import json
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tasks.errors import ReadError
from tasks.formats import CANONICAL, FORMATS, METADATA, REJECTS, Format
from tasks.formats.parsing.export import Export
from tasks.ingest.read_export import detect, read_export
from tasks.ingest.validate import validate

EXPORTS = Path(__file__).parents[2] / "data" / "exports"
FIXTURES = [path for name in FORMATS for path in sorted((EXPORTS / name).glob("*")) if path.name != "expected.json"]


def expected(path: Path) -> dict[str, dict[str, object]]:
    return json.loads((path.parent / "expected.json").read_text(encoding="utf-8"))[path.name]


@pytest.mark.parametrize("name", FORMATS)
def test_each_format_is_named_described_and_has_fixtures_with_expected_counts(name: str) -> None:
    known = FORMATS[name]
    assert known.name == name
    assert known.describe.endswith(".")
    assert all(extension.startswith(".") for extension in known.extensions)
    files = {path.name for path in (EXPORTS / name).glob("*")} - {"expected.json"}
    assert files
    assert files == json.loads((EXPORTS / name / "expected.json").read_text(encoding="utf-8")).keys()


@pytest.mark.parametrize("path", FIXTURES, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_fixture_is_detected_and_every_row_of_it_accounted_for(path: Path) -> None:
    want = expected(path)
    assert detect(path) == path.parent.name
    export = read_export(path)
    checked = validate(export)
    assert checked.ratings.height == want["n_ratings"]
    assert checked.n_skipped == want["n_skipped"]
    assert Counter(checked.rejects["reason"]) == want["rejects"]
    assert dict(checked.ratings.select("rater", "rater_kind").unique().rows()) == want["raters"]
    labels = {question: set(names) for question, names in want["questions"].items()}  # type: ignore[attr-defined]
    result = checked.ratings.group_by("question").agg("label")
    assert {question: set(names) for question, names in result.rows()} == labels
    assert checked.n_rows == checked.ratings.height + checked.rejects.height + checked.n_skipped


@pytest.mark.parametrize("path", FIXTURES, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_readers_return_text_frames_with_row_numbers(path: Path) -> None:
    export = FORMATS[path.parent.name].read(str(path))
    assert dict(export.rows.schema) == dict(CANONICAL)
    assert dict(export.rejects.schema) == dict(REJECTS)
    assert dict(export.metadata.schema) == dict(METADATA)
    assert export.rows["row_number"].null_count() == 0
    assert (export.rows["row_number"] >= 1).all()


@pytest.mark.parametrize("path", FIXTURES, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_the_content_counts_and_not_the_name(path: Path, tmp_path: Path) -> None:
    other = tmp_path / f"{path.stem}.xyz"
    other.write_bytes(path.read_bytes())
    assert detect(other) == path.parent.name
    assert read_export(other).rows.equals(read_export(path).rows)


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize(
    "content",
    [
        *(b"", b" \n\n", b"\x00\x01\x02\x03" * 50, b"PK\x03\x04zip", b"PAR1broken", b"<html>", b"just one line"),
        *(b"[1, 2, 3]", b"{}", b"[]", b'{"a": ' * 5_000, b"[" * 100_000, b'[{"id": 1', b"\xff\xfe\x00", b"\x1f\x8b"),
    ],
)
def test_what_is_no_export_is_a_read_error_of_ours(name: str, content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "file.csv"
    path.write_bytes(content)
    with pytest.raises(ReadError) as caught:
        FORMATS[name].read(path)
    assert caught.value.hint
    assert caught.value.file == str(path)


@pytest.mark.parametrize("name", FORMATS)
def test_a_missing_file_and_a_folder_are_read_errors(name: str, tmp_path: Path) -> None:
    with pytest.raises(ReadError, match="There is no file"):
        FORMATS[name].read(tmp_path / "nothing.csv")
    with pytest.raises(ReadError, match="is a folder, not a file") as caught:
        FORMATS[name].read(tmp_path)
    assert (caught.value.hint or "").startswith("Name the files in it")


def test_a_new_format_is_found_once_it_stands_in_the_registry(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "poll.csv"
    path.write_text("POLL\nd1;ann;yes\n", encoding="utf-8")

    def read(path: Path, options: object) -> Export:
        return FORMATS["long"].read(EXPORTS / "long" / "crowd.csv")

    poll = Format("poll", "A poll.", (".csv",), lambda seen, _: seen.headers == ("POLL",), read)
    with monkeypatch.context() as patch:
        patch.setitem(FORMATS, "poll", poll)
        assert detect(path) == "poll"
        assert read_export(path).rows["question"].unique().to_list() == ["poll"]
    with pytest.raises(ReadError):
        detect(path)


HOSTILE = [b'"', b"\n", b"\r", b",", b"\0", b"\xff", b"\\ud800", b"[", b"{", b"}", b"]", b"NaN", b"1e999", b"9" * 5_000]


@pytest.mark.parametrize("path", FIXTURES, ids=lambda path: f"{path.parent.name}/{path.name}")
@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_a_damaged_file_is_read_or_refused_and_its_rows_add_up(path: Path, tmp_path: Path, data: st.DataObject) -> None:
    content = bytearray(path.read_bytes())
    for _ in range(data.draw(st.integers(1, 4))):
        place = data.draw(st.integers(0, len(content)))
        length = data.draw(st.sampled_from([0, 0, 1, 40, len(content)]))
        content[place : place + length] = data.draw(st.sampled_from([b"", *HOSTILE]))
    damaged = tmp_path / path.name
    damaged.write_bytes(content)
    try:
        checked = validate(read_export(damaged), contract=False)
    except ReadError:
        return  # any other error fails the test
    assert checked.n_rows == checked.ratings.height + checked.rejects.height + checked.n_skipped

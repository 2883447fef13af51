"""Records of a file: numbers of Parquet have the digits that were meant, and large files are read again, not held."""

import gc
import json
from dataclasses import asdict
from pathlib import Path

import polars as pl
import pytest

from tasks.errors import ReadError
from tasks.formats import Export, ReadOptions, prodigy
from tasks.formats.answers.read_answers import read_answers
from tasks.formats.parsing.tools import record_votes
from tasks.formats.parsing.tools.record_votes import each, read_records
from tasks.formats.regions.read_regions import read_region_files
from tasks.ingest.read_export import read_export

DATA = Path(__file__).parents[4] / "data"
EXPORTS = sorted(
    path
    for path in DATA.glob("exports/*/*.json*")
    if path.name != "expected.json" and path.suffix in (".json", ".jsonl")
)
REGIONS = sorted(DATA.glob("regions/*/*.json*"))
ANSWERS = sorted(DATA.glob("answers/*/*.json*"))


@pytest.fixture
def is_never_held(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(record_votes, "MAX_HELD", 0)


def test_a_float_of_32_bits_is_the_number_of_its_text(tmp_path: Path) -> None:
    frame = pl.DataFrame({"value": pl.Series([0.1, 0.7, None, 2.0], dtype=pl.Float32), "id": ["a", "b", "c", "d"]})
    frame.write_parquet(tmp_path / "a.parquet")
    records = [record for _, record in read_records(tmp_path / "a.parquet").rows]
    assert [record["value"] for record in records] == [0.1, 0.7, None, 2.0]


@pytest.mark.parametrize("path", EXPORTS, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_a_file_whose_records_are_read_again_gives_the_same_ratings(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    held = parts_of(path)
    monkeypatch.setattr(record_votes, "MAX_HELD", 0)
    assert parts_of(path) == held


def parts_of(path: Path) -> object:
    """Return all that is read of a file, or why it is refused without further options."""
    try:
        return _comparable(read_export(path))
    except ReadError as error:
        return str(error)


def _comparable(export: Export) -> dict[str, object]:
    frames = {name: getattr(export, name).to_dicts() for name in ("rows", "rejects", "metadata")}
    return frames | {"skipped": export.n_skipped, "warnings": export.warnings, "ordered": export.ordered}


@pytest.mark.parametrize("path", REGIONS, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_a_file_whose_records_are_read_again_gives_the_same_regions(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    held = read_region_files([path], ReadOptions())
    monkeypatch.setattr(record_votes, "MAX_HELD", 0)
    again = read_region_files([path], ReadOptions())
    assert held is not None
    assert again is not None
    assert str(asdict(again)) == str(asdict(held))


@pytest.mark.parametrize("path", ANSWERS, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_a_file_whose_records_are_read_again_gives_the_same_rankings(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    held = read_answers([path], ReadOptions(), None)
    monkeypatch.setattr(record_votes, "MAX_HELD", 0)
    again = read_answers([path], ReadOptions(), None)
    assert held is not None
    assert again is not None
    assert str(asdict(again)) == str(asdict(held))


@pytest.mark.usefixtures("is_never_held")
def test_each_pass_gives_all_records_and_counts_rejects_once(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text('{"id": "1", "text": "\\ud83d"}\n{"id": \n[1]\n{"id": "2"}\n', encoding="utf-8")
    records = read_records(path)
    for _ in range(2):
        assert [(row, record["id"]) for row, record in each(records)] == [(1, "1"), (4, "2")]
        assert [(reject.row_number, reject.reason) for reject in records.rejects] == [(2, "bad_json"), (3, "bad_json")]
        assert records.warnings == ("Records with half characters (texts cut within one), shown as \ufffd: 1.",)
    next(iter(records.rows))  # a pass that ends early changes nothing
    assert len(records.rejects) == 2


@pytest.mark.parametrize(("most_held", "n_alive"), [(0, 1), (1 << 20, 50)])
@pytest.mark.parametrize("name", ["set.jsonl", "set.json"])
def test_one_record_of_a_large_file_is_in_memory_at_a_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, most_held: int, n_alive: int
) -> None:
    answer = {"_task_hash": 1, "answer": "accept", "accept": ["yes"], "_annotator_id": "set-ann", "tokens": [{"id": 0}]}
    lines = [json.dumps({"_input_hash": n, **answer}) for n in range(50)]
    (tmp_path / name).write_text("\n".join(lines) if name.endswith("l") else f"[{','.join(lines)}]", encoding="utf-8")
    counts: list[int] = []

    def counted(votes: record_votes.RecordVotes, row: int, record: record_votes.Record, stem: str) -> None:
        if row == 50:
            counts.append(sum(type(value) is dict and "_input_hash" in value for value in gc.get_objects()))

    monkeypatch.setattr(record_votes, "MAX_HELD", most_held)
    monkeypatch.setattr(prodigy, "_add", counted)
    prodigy.read(tmp_path / name, ReadOptions())
    assert counts == [n_alive]

"""The limits of what a file may hold: each named in its sentence, and wide enough for all that is real."""

import io
import json
from pathlib import Path

import polars as pl
import pytest

from flows.project_folder import Project
from flows.settings.model import load_settings
from flows.settings.task_inputs import folder_sources
from tasks.errors import ReadError, SettingsError
from tasks.formats import ReadOptions
from tasks.formats.parsing.limits import DEFAULTS, Limits
from tasks.ingest.read_export import read_export
from tasks.ingest.validate import validate

HEADER = "item,rater,label\n"
MORE_THAN_PYTHON_READS = 100_000  # levels of JSON: Python 3.11 reads about 1,000, 3.13 more than 9,000
SMALL = Limits(max_file_size=2_000, max_nesting=5, max_cell_length=100, max_columns=10)


def read(tmp_path: Path, content: str | bytes, name: str = "file.csv", limits: Limits = SMALL):
    path = tmp_path / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return read_export(path, ReadOptions(limits=limits))


def record(label: object) -> str:
    return json.dumps({"item": "1", "rater": "w", "label": label}) + "\n"


def deep(levels: int) -> object:
    return json.loads("[" * levels + "1" + "]" * levels)


def test_a_file_that_is_too_large(tmp_path: Path) -> None:
    with pytest.raises(ReadError, match=r"file\.csv has 2\.\d+ KiB; 1\.95 KiB is the limit") as caught:
        read(tmp_path, HEADER + "1,w,a\n" * 400)
    assert "max_file_size under [limits]" in caught.value.hint


@pytest.mark.parametrize("name", ["file.csv", "file.jsonl"])
def test_a_row_with_a_long_cell_is_rejected_and_the_others_are_not(tmp_path: Path, name: str) -> None:
    rows = {"file.csv": HEADER + f"1,w,{'x' * 101}\n2,w,{'x' * 100}\n", "file.jsonl": record("x" * 101) + record("b")}
    export = read(tmp_path, rows[name], name)
    assert export.rows.height == 1
    ((reason, detail, value),) = export.rejects.select("reason", "detail", "value").rows()
    assert reason == "cell_too_long"
    assert detail == "A cell has 101 characters; 100 is the limit (max_cell_length)."
    assert len(value) <= 200


def test_a_long_cell_of_parquet_is_rejected(tmp_path: Path) -> None:
    packed = io.BytesIO()
    pl.DataFrame({"item": ["1", "2"], "rater": ["w", "w"], "label": ["x" * 101, "b"]}).write_parquet(packed)
    export = read(tmp_path, packed.getvalue(), "file.parquet", Limits(max_cell_length=100))
    assert export.rows["label"].to_list() == ["b"]
    assert export.rejects.select("row_number", "reason").rows() == [(1, "cell_too_long")]


@pytest.mark.parametrize("levels", [4, 5, MORE_THAN_PYTHON_READS])
def test_nesting_is_counted_from_the_record(tmp_path: Path, levels: int) -> None:
    text = record("a") + record("x").replace('"x"', "[" * levels + "1" + "]" * levels)
    export = read(tmp_path, text, limits=Limits(max_nesting=5))
    assert export.rejects["reason"].to_list() == {4: [], 5: ["too_deep"]}.get(levels, ["bad_json"])
    array = f"[{','.join(text.splitlines())}]"
    if levels == 4:
        assert read(tmp_path, array).rows.height == 2
        return
    with pytest.raises(ReadError, match="nested"):
        read(tmp_path, array, limits=Limits(max_nesting=5))


def test_json_in_a_cell_that_is_nested_too_deeply_is_a_text(tmp_path: Path) -> None:
    cell = json.dumps(json.dumps(deep(900)))
    line = f'{{"_input_hash": 1, "_task_hash": 1, "answer": "accept", "_session_id": "s-a", "accept": {cell}}}\n'
    export = read(tmp_path, line * 2, "set.jsonl", DEFAULTS)
    assert export.rows.height + export.rejects.height == 2


@pytest.mark.parametrize("name", ["file.csv", "file.jsonl", "file.json", "file.parquet"])
def test_too_many_columns(tmp_path: Path, name: str) -> None:
    row = {"item": "1", "rater": "w", "label": "a", **{f"c{n}": "x" for n in range(8)}}
    packed = io.BytesIO()
    pl.DataFrame([row]).write_parquet(packed)
    content: dict[str, str | bytes] = {
        "file.csv": ",".join(row) + "\n" + ",".join(row.values()),
        "file.jsonl": f"{json.dumps(row)}\n" * 2,
        "file.json": json.dumps([row]),
        "file.parquet": packed.getvalue(),
    }
    with pytest.raises(ReadError, match="has 11 columns or more; 10 is the limit") as caught:
        read(tmp_path, content[name], name, Limits(max_columns=10))
    assert "max_columns" in caught.value.hint


def test_keys_that_add_up_over_the_records(tmp_path: Path) -> None:
    lines = "".join(json.dumps({"item": n, "rater": "w", "label": "a", f"k{n}": 1}) + "\n" for n in range(2_000))
    with pytest.raises(ReadError, match="1,001 columns or more"):
        read(tmp_path, lines, "file.jsonl", Limits(max_columns=1_000))


def test_few_bytes_of_parquet_may_be_many_rows(tmp_path: Path) -> None:
    packed = io.BytesIO()
    pl.select(item=pl.lit("1").repeat_by(50_000).explode(), rater=pl.lit("w"), label=pl.lit("a")).write_parquet(packed)
    assert len(packed.getvalue()) < 2_000
    with pytest.raises(ReadError, match=r"50,000 rows of 3 columns, more than 977 KiB") as caught:
        read(tmp_path, packed.getvalue(), "file.parquet", Limits(max_unpacked_size=1_000_000))
    assert "max_unpacked_size" in caught.value.hint


def test_the_record_that_never_ends(tmp_path: Path) -> None:
    with pytest.raises(ReadError, match=r"longer than 1,600 characters, 16 times max_cell_length"):
        read(tmp_path, '[{"item": "' + "x" * 3_000_000, "file.json", Limits(max_cell_length=100))


def test_real_lengths_stay_far_below_the_limits(tmp_path: Path) -> None:
    export = read(tmp_path, HEADER + f'1,w,"{"x" * 5_000_000}"\n2,w,b\n', limits=DEFAULTS)
    assert validate(export).rejects["reason"].to_list() == ["label_too_long"]


def test_the_settings_reach_the_readers(tmp_path: Path) -> None:
    (tmp_path / "kappaflow.toml").write_text('[limits]\nmax_file_size = "3 KB"\nmax_nesting = 7\n', encoding="utf-8")
    (folder,) = folder_sources(Project(tmp_path, load_settings(tmp_path)))
    assert folder.options.limits == Limits(max_file_size=3_000, max_nesting=7)
    assert load_settings(tmp_path / "nothing").limits.model_dump() == {"memory": None, **vars(DEFAULTS)}


@pytest.mark.parametrize(
    "line",
    ['max_file_size = "4 apples"', "max_file_size = 0", "max_nesting = 1000", "max_columns = 2", "most = 1",
     'memory = "100 MB"'],
)  # fmt: skip
def test_limits_that_cannot_be(tmp_path: Path, line: str) -> None:
    (tmp_path / "kappaflow.toml").write_text(f"[limits]\n{line}\n", encoding="utf-8")
    with pytest.raises(SettingsError, match=r"limits\.\w+"):
        load_settings(tmp_path)

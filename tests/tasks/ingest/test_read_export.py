"""Detection and refusals."""

import json
from pathlib import Path

import pytest

from tasks.errors import InputError, ReadError, UnknownFormatError
from tasks.formats import ReadOptions
from tasks.ingest.read_export import detect, read_export
from tasks.single_file.gold_file import read_gold

EXPORTS = Path(__file__).parents[2] / "data" / "exports"


def write(tmp_path: Path, content: str | bytes, name: str = "file.csv") -> Path:
    path = tmp_path / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


@pytest.mark.parametrize(
    ("content", "seen"),
    [
        (b"PK\x03\x04....", "zip archive"),
        (b"\x1f\x8b\x08...", "gzip"),
        (b"%PDF-1.7", "PDF"),
        (b"\x00\x01\x02\x03" * 30, "binary"),
        (b"<?xml version='1.0'?><a/>", "XML or a web page"),
        (b"[1, 2]", "is not a known export: it has no record with fields"),
        (b"[]", "is not a known export: it has no record with fields"),
        (b"{}", "is not a known export: it has no record with fields"),
        (b'{"a": {"b": 1}}\n', "columns 'a'; none of them is known as the item or the rater or the label"),
        (b'{"a":\n 1, "project": 2}', "JSON whose first record has 'a', 'project'"),
        (b"one two three\nfour\n", "text without columns"),
        (b"a,b\n1,2\n", "columns 'a', 'b'; none of them is known as the item or the rater or the label"),
    ],
)
def test_what_is_refused_says_what_was_seen_and_what_to_do(tmp_path: Path, content: bytes, seen: str) -> None:
    with pytest.raises(UnknownFormatError, match=seen) as caught:
        detect(write(tmp_path, content))
    assert caught.value.hint
    assert caught.value.file == str(tmp_path / "file.csv")


ARGILLA = {"id": "1", "fields": {"text": "x"}, "metadata": {}, "suggestions": {}, "responses": {"q": [{"value": "a"}]}}
DOCCANO = {"id": 1, "text": "x", "label": ["a"], "Comments": []}
WEBHOOK = {"action": "ANNOTATION_CREATED", "annotation": {"id": 1}, "task": {"id": 2}, "project": {"id": 3}}
ANNOTATION = {"id": 7, "result": [], "completed_by": 1, "task": 2, "project": 3}
MIN = {"id": 1, "annotator": 3, "annotation_id": 7, "sentiment": "good", "lead_time": 1.5, "created_at": "2026-01-01"}


@pytest.mark.parametrize(
    ("record", "message", "hint"),
    [
        (ARGILLA, "Argilla's nested JSON: it does not carry the status", "flatten=True"),
        (DOCCANO, "doccano: its rows do not say who labelled", "share annotations"),
        (WEBHOOK, "a message of Label Studio's webhook", "as JSON"),
        (ANNOTATION, "annotations or predictions of Label Studio's API without their tasks", "snapshot"),
    ],
)
@pytest.mark.parametrize("lines", [True, False])
def test_known_exports_that_would_give_wrong_votes(
    tmp_path: Path, record: dict[str, object], message: str, hint: str, lines: bool
) -> None:
    records = [record, record | {"id": 2}]
    path = write(tmp_path, "\n".join(json.dumps(r) for r in records) if lines else json.dumps(records), "all.jsonl")
    with pytest.raises(UnknownFormatError, match=message) as caught:
        read_export(path)
    assert hint in caught.value.hint


def test_who_names_the_columns_knows_what_the_file_is(tmp_path: Path) -> None:
    header, row = ",".join(MIN), ",".join(str(value) for value in MIN.values())
    export = read_export(write(tmp_path, f"{header}\n{row}\n"), ReadOptions(columns={"label": "sentiment"}))
    assert export.rows.select("item", "rater", "label", "duration_s").row(0) == ("1", "3", "good", "1.5")


def test_a_format_that_does_not_exist(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no format 'xlsx'") as caught:
        read_export(write(tmp_path, "item,rater,label\n"), ReadOptions(format="xlsx"))
    assert "label_studio, label_studio_min, prodigy" in caught.value.hint


def test_a_named_format_is_not_second_guessed(tmp_path: Path) -> None:
    path = write(tmp_path, "id,rater,label\n1,x,x\n2,y,x\n")
    assert read_export(path, ReadOptions(format="wide")).rows["rater"].unique().sort().to_list() == ["label", "rater"]


# Against real files, where the team's shared folder lies beside the checkout.

DATA = Path(__file__).parents[4] / "shared" / "data"
SETS = {
    "music_genre": (2_945, 44, 700, 10),
    "weather_cf_amt": (6_030, 110, 300, 5),
    "sentiment_polarity": (27_746, 203, 4_999, 2),
    "pandalm_judges": (4_995, 5, 999, 4),
    "llmbar_judges": (54_336, 130, 419, 2),
}


@pytest.mark.skipif(not DATA.exists(), reason=f"{DATA} is not there")
@pytest.mark.parametrize("name", SETS)
def test_real_crowd_files(name: str) -> None:
    rows = read_export(DATA / "datasets" / name / "labels.csv").rows
    counts = (rows.height, *(rows[column].n_unique() for column in ("rater", "item", "label")))
    assert counts == SETS[name]
    assert read_gold(DATA / "datasets" / name / "gold.csv").height == SETS[name][2]
    with pytest.raises(ReadError, match="does not say who rated"):
        read_export(DATA / "datasets" / name / "gold.csv")


@pytest.mark.skipif(not DATA.exists(), reason=f"{DATA} is not there")
@pytest.mark.parametrize(
    "name",
    ["export_JSON", "traps_export_JSON", "traps_export_JSON_all", "snapshot_JSON_full", "api_tasks_fields_all"],
)
def test_real_label_studio_exports_agree_with_a_count_of_the_raw_file(name: str) -> None:
    path = DATA / "samples" / "label-studio-live" / f"{name}.json"
    raw = json.loads(path.read_text(encoding="utf-8"))
    tasks = raw["tasks"] if isinstance(raw, dict) else raw
    annotations = [a for task in tasks for a in task["annotations"]]
    shown = {a["prediction"]["id"]: a["prediction"] for a in annotations if a.get("prediction")}
    full = {p["id"]: p for task in tasks for p in task["predictions"] if isinstance(p, dict)}
    rows = [a for a in annotations if not a["was_cancelled"]]
    results = [r for a in (*rows, *(shown | full).values()) for r in a["result"]]
    whole = [r for r in results if r["type"] in ("choices", "taxonomy", "rating") and "start" not in r["value"]]
    export = read_export(path)
    assert export.rows.height == len(whole)
    assert export.n_skipped == len(annotations) - len(rows)
    assert export.rejects.height == len(results) - len(whole) + sum(not a["result"] for a in rows)

"""Readers of spans: what each tool's file gives, who did what, and what is rejected."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from tasks.errors import ReadError
from tasks.formats import ReadOptions
from tasks.formats.parsing.file_look import HEAD
from tasks.formats.regions.read_regions import read_regions
from tasks.formats.regions.span_export import SpanExport
from tasks.ingest.read_export import read_export
from tasks.single_file.agree_file import agree
from tasks.single_file.load_file import FileOptions


def spans_of(*paths: Path, **options: Any) -> SpanExport:
    held = read_regions(paths, ReadOptions(**options))
    assert held is not None
    return held


def mark(start: Any, end: Any, label: str | None, name: str = "ner") -> dict[str, Any]:
    value = {"start": start, "end": end, "labels": [label] if label else []}
    return {"from_name": name, "type": "labels", "value": value}


def test_label_studio(tmp_path: Path) -> None:
    path = tmp_path / "export.json"
    choice = {"from_name": "tone", "type": "choices", "value": {"choices": ["kind"]}}
    page = {"from_name": "ner", "type": "hypertextlabels", "value": {
        "start": "/p[1]", "globalOffsets": {"start": 7, "end": 9}, "hypertextlabels": ["B", "A"]}}  # fmt: skip
    task = {"id": 5, "data": {"text": "t"}, "annotations": [
        {"completed_by": 1, "result": [mark(0, 4, "PER"), page]},
        {"completed_by": 2, "result": []},
        {"completed_by": {"id": 3}, "was_cancelled": True, "result": [mark(0, 4, "PER")]},
        {"completed_by": 4, "result": [mark("x", 4, "PER"), mark(4, 2, "PER"), mark(0, 2, None), choice]},
    ], "predictions": [{"model_version": "v1", "result": [mark(0, 5, "PER")]}]}  # fmt: skip
    path.write_text(json.dumps([task]))
    held = spans_of(path)
    assert held.spans.rows() == [
        ("ner", "5", "1", 0, 4, "PER"), ("ner", "5", "1", 7, 9, '["A", "B"]'), ("ner", "5", "v1", 0, 5, "PER"),
    ]  # fmt: skip
    assert held.assignments.select("rater", "rater_kind").rows() == [
        ("1", "human"), ("2", "human"), ("4", "human"), ("v1", "system"),
    ]  # fmt: skip
    assert Counter(held.rejects["reason"]) == {"bad_record": 2, "missing_label": 1}
    assert (held.n_skipped, held.has_labels) == (1, True)


def test_spans_of_label_studio_that_come_after_many_tasks_without_one(tmp_path: Path) -> None:
    path = tmp_path / "export.json"
    empty = [{"id": n, "data": {"text": "word " * 1000}, "annotations": []} for n in range(HEAD // 4000)]
    late = {"id": "late", "data": {"text": "t"}, "annotations": [{"completed_by": 1, "result": [mark(0, 4, "PER")]}]}
    path.write_text(json.dumps([*empty, late]))
    assert path.stat().st_size > HEAD
    assert spans_of(path).spans.rows() == [("ner", "late", "1", 0, 4, "PER")]


def test_the_last_work_of_a_rater_counts(tmp_path: Path) -> None:
    path = tmp_path / "export.json"
    twice = [{"completed_by": 1, "result": [mark(0, 4, "PER")]}, {"completed_by": 1, "result": [mark(1, 2, "LOC")]}]
    path.write_text(json.dumps([{"id": 1, "data": {}, "annotations": twice}]))
    held = spans_of(path)
    assert held.spans["label"].to_list() == ["LOC"]
    assert any("submitted again" in note for note in held.warnings)


def test_doccano_one_file_per_user(tmp_path: Path) -> None:
    for name, label in (("ann", [[0, 4, "PER"], [5, 7, "LOC"]]), ("ben", [[0, 4, "PER"]])):
        rows = [
            {"id": 1, "text": "t", "label": label, "Comments": []},
            {"id": 2, "text": "u", "label": [], "Comments": []},
        ]
        (tmp_path / f"{name}.jsonl").write_text("\n".join(map(json.dumps, rows)))
    held = spans_of(tmp_path / "ann.jsonl", tmp_path / "ben.jsonl")
    assert held.assignments.select("item", "rater").rows() == [("1", "ann"), ("1", "ben")]
    assert (held.spans.height, held.n_skipped) == (3, 2)
    entities = {
        "id": 1,
        "text": "t",
        "entities": [{"id": 9, "label": "PER", "start_offset": 0, "end_offset": 4}],
        "relations": [],
    }
    (tmp_path / "eva.jsonl").write_text(json.dumps(entities) + "\n" + json.dumps(entities | {"id": 2}))
    assert spans_of(tmp_path / "eva.jsonl").spans.height == 2


def test_prodigy(tmp_path: Path) -> None:
    path = tmp_path / "news.jsonl"
    rows = [
        {"text": "t", "_input_hash": 7, "_task_hash": 1, "_annotator_id": "news-ann", "answer": "accept",
         "spans": [{"start": 0, "end": 4, "label": "PER"}]},
        {"text": "t", "_input_hash": 7, "_task_hash": 1, "_annotator_id": "news-ben", "answer": "accept", "spans": []},
        {"text": "t", "_input_hash": 8, "_task_hash": 2, "_annotator_id": "news-ben", "answer": "reject", "spans": []},
    ]  # fmt: skip
    path.write_text("\n".join(map(json.dumps, rows)))
    held = spans_of(path)
    assert held.assignments.select("item", "rater").rows() == [("7", "ann"), ("7", "ben")]
    assert (held.spans.height, held.n_skipped) == (1, 1)


def test_argilla(tmp_path: Path) -> None:
    users = ["u1", "u2", "u3", "u4", "u5"]
    states = ["submitted", "submitted", "discarded", "draft", "submitted"]
    answers = [[{"start": 0, "end": 4, "label": "PER"}], [], [], None, [{"start": 3, "end": 2, "label": "PER"}, "x"]]
    first = {
        "id": "r1", "status": "completed", "_server_id": None, "text": "Anna saw", "source": "web",
        "ner.responses": answers, "ner.responses.users": users, "ner.responses.status": states,
        "tone.responses": ["kind", "kind"], "tone.responses.users": ["u1", "u6"],
        "tone.responses.status": ["submitted", "submitted"],
        "ner.suggestion": [{"start": 0, "end": 8, "label": "PER", "score": 0.5}], "ner.suggestion.agent": "bert-v1",
    }  # fmt: skip
    second = {"id": "r2", "ner.responses": [[], []], "ner.responses.users": ["u1"], "ner.responses.status": ["odd"]}
    third = {"id": "r3", "ner.responses": [None], "ner.responses.users": ["u1"], "ner.responses.status": ["odd"]}
    path = tmp_path / "records.json"
    path.write_text(json.dumps([first, second, third]))
    held = spans_of(path)
    assert held.questions == ["ner"]
    assert held.spans.rows() == [("ner", "r1", "u1", 0, 4, "PER"), ("ner", "r1", "bert-v1", 0, 8, "PER")]
    assert held.assignments.select("item", "rater", "rater_kind", "source_ref").rows() == [
        ("r1", "u1", "human", "record:r1"), ("r1", "u2", "human", "record:r1"), ("r1", "u5", "human", "record:r1"),
        ("r1", "u6", "human", "record:r1"), ("r1", "bert-v1", "system", "record:r1"),
    ]  # fmt: skip
    assert held.lengths.rows() == [("r1", 8)]
    assert held.rejects.select("row_number", "column_name", "reason").rows() == [
        (1, "span", "bad_record"), (1, "span", "bad_record"),
        (2, "ner.responses", "bad_record"), (3, "ner.responses.status", "bad_record"),
    ]  # fmt: skip
    assert (held.n_skipped, held.has_labels) == (2, True)


def test_argilla_in_parquet_gives_the_same(tmp_path: Path) -> None:
    records = Path(__file__).parents[3] / "data" / "regions" / "argilla" / "records.json"
    path = tmp_path / "records.parquet"
    pl.read_json(records, infer_schema_length=None).write_parquet(path)
    held, same = spans_of(path), spans_of(records)
    assert held.spans.height == 4
    assert held.spans.rows() == same.spans.rows()
    assert held.assignments.rows() == same.assignments.rows()
    assert held.lengths.rows() == same.lengths.rows()
    assert (held.n_skipped, held.has_labels) == (1, True)
    path.write_bytes(b"PAR1")
    assert read_regions([path], ReadOptions()) is None


def test_argilla_in_columns_gives_the_same(tmp_path: Path) -> None:
    columns = {
        "id": ["r1", "r2"], "text": ["Anna saw", "Ben"],
        "ner.responses": [[[{"start": 0, "end": 4, "label": "PER"}]], [[]]],
        "ner.responses.users": [["u1"], ["u1"]], "ner.responses.status": [["submitted"], ["submitted"]],
    }  # fmt: skip
    records = [dict(zip(columns, values, strict=True)) for values in zip(*columns.values(), strict=True)]
    by_column, by_record = tmp_path / "columns.json", tmp_path / "records.json"
    by_column.write_text(json.dumps(columns))
    by_record.write_text(json.dumps(records))
    held, same = spans_of(by_column), spans_of(by_record)
    assert held.spans.rows() == same.spans.rows() == [("ner", "r1", "u1", 0, 4, "PER")]
    assert held.assignments.rows() == same.assignments.rows()
    assert held.lengths.rows() == same.lengths.rows() == [("r1", 8), ("r2", 3)]
    assert not held.has_labels


def test_brat_folders_are_raters(tmp_path: Path) -> None:
    for rater, text in (
        ("ann", "T1\tPER 0 4\tAnna\nR1\tLives Arg1:T1 Arg2:T2\nT2\tLOC 5 9;12 14\tx\nTx\n"),
        ("ben", ""),
    ):
        (tmp_path / rater).mkdir()
        (tmp_path / rater / "doc1.ann").write_text(text)
    held = spans_of(tmp_path / "ann" / "doc1.ann", tmp_path / "ben" / "doc1.ann")
    assert held.spans.drop("question").rows() == [("doc1", "ann", 0, 4, "PER"), ("doc1", "ann", 5, 14, "LOC")]
    assert held.assignments["rater"].to_list() == ["ann", "ben"]
    assert held.rejects["reason"].to_list() == ["bad_record"]


def test_webanno_joins_tokens_and_separates_stacked_spans(tmp_path: Path) -> None:
    (tmp_path / "doc1").mkdir()
    path = tmp_path / "doc1" / "ann.tsv"
    path.write_text(
        "#FORMAT=WebAnno TSV 3.3\n#T_SP=webanno.custom.Ne|value\n\n\n#Text=Anna Lee saw\n"
        "1-1\t0-4\tAnna\tPER[1]|kind\t\n1-2\t5-8\tLee\tPER[1]\t\n1-3\t9-12\tsaw\t_\t\n1-4\t13-14\tx\t*\t\n"
    )
    held = spans_of(path)
    assert held.questions == ["Ne.value"]
    assert sorted(held.spans.select("item", "rater", "start", "end", "label").rows()) == [
        ("doc1", "ann", 0, 4, "kind"), ("doc1", "ann", 0, 8, "PER"), ("doc1", "ann", 13, 14, "*"),
    ]  # fmt: skip
    with pytest.raises(ReadError, match="spans of one document") as caught:
        read_export(path)
    assert "kappaflow agree" in caught.value.hint


def test_other_files_hold_no_spans(tmp_path: Path) -> None:
    path = tmp_path / "labels.csv"
    path.write_text("item,rater,label\n1,a,x\n")
    assert read_regions([path], ReadOptions()) is None


def test_parts_of_a_sound_are_no_spans_of_characters(tmp_path: Path) -> None:
    path = tmp_path / "sound.json"
    sound = {"from_name": "ner", "type": "labels", "value": {"start": 4, "end": 6, "channel": 0, "labels": ["noise"]}}
    task = {
        "id": 1,
        "data": {"text": "abc"},
        "annotations": [{"completed_by": 1, "result": [sound, mark(0, 2, "PER")]}],
    }
    path.write_text(json.dumps([task]))
    held = spans_of(path)
    assert held.spans["label"].to_list() == ["PER"]
    assert held.rejects["reason"].to_list() == ["unsupported_control"]


def test_webanno_reads_parts_of_tokens(tmp_path: Path) -> None:
    path = tmp_path / "doc" / "ann.tsv"
    path.parent.mkdir()
    path.write_text(
        "#FORMAT=WebAnno TSV 3.3\n#T_SP=webanno.custom.Tone|value\n\n\n#Text=Anna likes teacups\n"
        "1-1\t0-4\tAnna\tpolite[1]\t\n1-2\t5-10\tlikes\tpolite[1]\t\n1-3\t11-18\tteacups\t_\t\n"
        "1-3.1\t11-14\ttea\tneutral\t\n"
    )
    assert spans_of(path).spans.select("start", "end", "label").rows() == [(11, 14, "neutral"), (0, 10, "polite")]


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
def test_brat_with_a_byte_order_mark(tmp_path: Path, encoding: str) -> None:
    path = tmp_path / "ann" / "doc.ann"
    path.parent.mkdir()
    path.write_text("T1\tPER 0 4\tAnna\n", encoding=encoding)
    assert spans_of(path).spans["end"].to_list() == [4]


@pytest.mark.parametrize(("text", "label"), [("text", "label"), ("text", "labels"), ("data", "label")])
def test_older_doccano_has_no_comments(tmp_path: Path, text: str, label: str) -> None:
    records = [{"id": 1, text: "Anna in Rome", label: [[0, 4, "PER"]]}, {"id": 2, text: "Ben", label: []}]
    path = tmp_path / "ann.jsonl"
    path.write_text("\n".join(json.dumps(record) for record in records))
    held = spans_of(path)
    assert (held.spans["item"].to_list(), held.n_skipped) == (["1"], 1)
    assert held.lengths.rows() == [("1", 12)]


def test_the_length_of_a_text_is_kept_where_a_span_ends_behind_it(tmp_path: Path) -> None:
    for rater, end in (("ann", 4), ("ben", 40)):
        record = {"id": 1, "text": "Anna in Rome", "label": [[0, end, "PER"]]}
        (tmp_path / f"{rater}.jsonl").write_text(json.dumps(record))
    held = read_regions([tmp_path / "ann.jsonl", tmp_path / "ben.jsonl"], ReadOptions())
    assert held is not None
    assert held.lengths.rows() == [("1", 12)]
    (agreement,) = agree([tmp_path / "ann.jsonl", tmp_path / "ben.jsonl"], FileOptions())
    assert "1 text is left out of the alphas" in " ".join(agreement["warnings"])  # type: ignore[call-overload]


def test_what_is_left_out_is_counted_over_all_files(tmp_path: Path) -> None:
    paths = []
    for rater in ("ann", "ben"):
        (tmp_path / rater).mkdir()
        for document in ("d1", "d2"):
            path = tmp_path / rater / f"{document}.ann"
            path.write_text("T1\tPER 0 4\tAnna\nR1\tlives Arg1:T1 Arg2:T1\t\n")
            paths.append(path)
    assert spans_of(*paths).warnings == (
        "The rater is 'ann', the folder; the item is the file's name.",
        "The rater is 'ben', the folder; the item is the file's name.",
        "Lines of relations, events, attributes and notes, which are not read: 4.",
    )


def test_relations_of_label_studio_are_counted(tmp_path: Path) -> None:
    relation = {"type": "relation", "from_id": "a", "to_id": "b", "direction": "right", "labels": ["lives in"]}
    results = [mark(0, 4, "PER"), mark(14, 20, "LOC"), relation, relation]
    path = tmp_path / "export.json"
    annotations = [{"completed_by": rater, "result": results} for rater in (1, 2)]
    path.write_text(json.dumps([{"id": 1, "data": {"text": "Anna lives in Berlin"}, "annotations": annotations}]))
    assert spans_of(path).warnings == ("Relations between spans or boxes, which are not compared: 4.",)

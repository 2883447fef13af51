"""The traps of real exports, by the numbers of the project's list: one test or more for each that concerns a reader.

What concerns Label Studio's JSON alone has its tests in test_label_studio.py, under the same numbers; more
about trap 14 (deletions) is in test_full_exports.py.
"""

import json
import os
import re
import tomllib
from pathlib import Path
from typing import Any

import pytest

from stats.errors import StatsError
from tasks.errors import ReadError, UnknownFormatError
from tasks.formats import FORMATS, Export, ReadOptions
from tasks.ingest.ingest_files import ingest
from tasks.ingest.read_export import detect, read_export
from tasks.ingest.validate import validate
from tasks.single_file.accuracy_file import AccuracyDetail, estimate
from tasks.single_file.gold_file import read_gold
from tasks.single_file.inspect_file import inspect_file
from tasks.single_file.load_file import FileOptions
from tasks.sources.folder import FolderSource, find_files
from warehouse.connect import connect
from warehouse.migrate import migrate

EXPORTS = Path(__file__).parents[2] / "data" / "exports"
SET = '["a", "b"]'


def write(tmp_path: Path, content: object, name: str = "file.json") -> Path:
    """A file: text as it is, a list as JSON lines (.jsonl) or a JSON array."""
    path = tmp_path / name
    path.parent.mkdir(exist_ok=True)
    if isinstance(content, list) and path.suffix == ".jsonl":
        content = "".join(json.dumps(record) + "\n" for record in content)
    path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
    return path


def read(tmp_path: Path, content: object, name: str = "file.json", **options: Any) -> Export:
    return read_export(write(tmp_path, content, name), ReadOptions(**options))


def ls_row(**more: Any) -> dict[str, Any]:
    """A row of Label Studio's JSON_MIN."""
    last = {
        "annotator": 5,
        "annotation_id": 8,
        "created_at": "2026-01-01",
        "updated_at": "2026-01-02",
        "lead_time": 1.5,
    }
    return {"text": "t", "id": 1} | more | last


def ls_csv(**cells: str) -> str:
    """A row of its CSV, columns in order of name."""
    row = {
        "annotation_id": "8",
        "annotator": '"5"',
        "created_at": "",
        "id": "1",
        "lead_time": "",
        "updated_at": "",
    } | cells
    return ",".join(sorted(row)) + "\n" + ",".join(row[name] for name in sorted(row)) + "\n"


def prodigy(**more: Any) -> dict[str, Any]:
    return {
        "_input_hash": 7,
        "_task_hash": 9,
        "answer": "accept",
        "_session_id": "set-ann",
        "_timestamp": 1763679276,
    } | more


def doccano(label: object, number: int = 1, **more: Any) -> dict[str, Any]:
    return {"id": number, "text": "t", "label": label, "Comments": []} | more


def mturk(status: str = "Approved", submitted: str = "", answer: str = "yes") -> str:
    header = "HITId,WorkerId,AssignmentStatus,SubmitTime,RejectionTime,Answer.q"
    return f"{header}\nH1,W1,{status},{submitted},,{answer}\n"


def argilla(status: list[str], **more: Any) -> dict[str, Any]:
    users = [f"u{i}" for i in range(len(status))]
    lists = {"q.responses": ["a"] * len(status), "q.responses.users": users, "q.responses.status": status}
    return {"id": "1", "text": "t"} | lists | more


def estimate_with(tmp_path: Path, gold: Path, columns: dict[str, str] | None = None) -> Any:
    """`accuracy --gold` on three raters' and a system's answers to the items 1 to 9."""
    rows = "".join(f"{i},{r},{'ab'[i % 2]}\n" for i in range(1, 10) for r in ("ann", "ben", "cem", "bot"))
    ratings = write(tmp_path, f"item,rater,label\n{rows}", "ratings.csv")
    audited = read_gold(gold, ReadOptions(columns=columns or {}))
    frame = write(tmp_path, audited.write_csv(), "audited.csv")
    options = FileOptions(ReadOptions(systems=frozenset({"bot"})), None, False, None, "nominal")
    (result,) = estimate(ratings, options, gold=frame, detail=AccuracyDetail(methods=("lehner",)))
    return result


# Ids


@pytest.mark.parametrize(
    ("content", "name"),
    [
        ([ls_row(q="a")], "x.json"),
        ([{"id": 1, "data": {}, "annotations": [{"id": 8, "completed_by": {"id": 5, "email": "e@example.org"},
          "result": [{"from_name": "q", "type": "choices", "value": {"choices": ["a"]}}]}]}], "x.json"),
        (ls_csv(q="a") , "x.csv"),
        ([{"datasetObjectId": 1, "annotations": [{"workerId": 5, "annotationData": {"content": {"q": "a"}}}]}],
         "x.json"),
    ],
)  # fmt: skip
def test_trap_1_ids_are_text_whether_number_object_or_quoted(tmp_path: Path, content: object, name: str) -> None:
    """Trap 1: completed_by is a number, an object or a quoted string; all are the rater `5`, and the item is `1`."""
    options = {"format": "label_studio_min", "columns": {"label": "q"}} if name == "x.csv" else {}
    rows = read(tmp_path, content, name, **options).rows
    assert rows.select("question", "item", "rater", "label").rows() == [("q", "1", "5", "a")]


def test_trap_1_a_class_is_the_same_as_number_and_as_text(tmp_path: Path) -> None:
    """Trap 1: SageMaker's class is "0" or 0."""
    answers = [{"workerId": w, "answerContent": {"q": {"label": label}}} for w, label in (("w1", "0"), ("w2", 0))]
    rows = read(tmp_path, [{"source-ref": "s3://x/1", "answers": answers}]).rows
    assert rows["label"].to_list() == ["0", "0"]


def test_trap_2_ids_that_a_data_field_took_over_are_said(tmp_path: Path) -> None:
    """Trap 2: CSV writes the data's id in place of the task's, JSON_MIN does not; data.q1 becomes _data_q1."""
    row = ls_csv(id="EXT-1", q='"{""choices"":[""a"",""b""]}"', _data_q="x")
    export = read(tmp_path, row, "project.csv")
    assert export.rows.select("question", "item", "label").rows() == [("q", "EXT-1", SET)]
    assert any("a field of the data is named id" in warning for warning in export.warnings)
    same = read(tmp_path, [ls_row(q={"choices": ["a", "b"]}) | {"id": 21}])
    assert same.rows["item"].to_list() == ["21"]
    assert not any("named id" in warning for warning in same.warnings)


def test_trap_3_a_stable_key_can_name_the_item(tmp_path: Path) -> None:
    """Trap 3: task ids change when tasks are imported again."""
    row = ls_row(q={"choices": ["a", "b"]}, ext="doc-1")
    assert read(tmp_path, [row], columns={"item": "ext"}).rows["item"].to_list() == ["doc-1"]
    labelbox = read_export(EXPORTS / "labelbox" / "export.ndjson", ReadOptions(columns={"item": "external_id"}))
    assert labelbox.rows["item"].unique().sort().to_list() == ["e1", "e2", "e4"]


def test_trap_4_one_person_in_two_data_sets_has_one_name(tmp_path: Path) -> None:
    """Trap 4: Prodigy writes DATASET-NAME; and one item has one _input_hash under several _task_hashes."""
    names = []
    for data_set in ("first", "second"):
        records = [prodigy(_session_id=f"{data_set}-ann", _task_hash=n, accept=["a"]) for n in (1, 2)]
        rows = read(tmp_path, records, f"{data_set}.jsonl").rows
        names.append(rows.select("item", "rater").unique().rows())
    assert names == [[("7", "ann")], [("7", "ann")]]


def test_trap_5_gold_that_joins_nothing_stops_and_says_so(tmp_path: Path) -> None:
    """Trap 5: gold keyed by address, ratings by another id."""
    gold = write(tmp_path, "url,label\nhttp://x/1,a\nhttp://x/2,b\n", "gold.csv")
    with pytest.raises(StatsError, match=r"None of the gold items \(2\) is among the items that bot answered"):
        estimate_with(tmp_path, gold, columns={"item": "url"})
    with pytest.raises(ReadError, match="none of them is known as the item"):
        estimate_with(tmp_path, gold)


def test_trap_5_the_coverage_of_gold_is_reported(tmp_path: Path) -> None:
    """Trap 5: of three gold items two are among those that the system answered."""
    gold = write(tmp_path, "item,label\n1,a\n2,b\nhttp://x/3,b\n", "gold.csv")
    (row,) = estimate_with(tmp_path, gold)["systems"]
    assert row["n_gold"] == 2
    assert any("Gold items that are not used" in text and "1." in text for text in row["warnings"])


# Labels


@pytest.mark.parametrize(
    ("value", "label"),
    [("a", "a"), ({"choices": ["b", "a"]}, SET), (["Animal", "Cat"], "Animal / Cat"), ([{"rating": 4}], "4"),
     ([{"taxonomy": [["A", "A1"], ["B"]]}], '["A / A1", "B"]'), ({"choices": [["A", "B"], ["C"]]}, '["A / B", "C"]')],
)  # fmt: skip
@pytest.mark.parametrize("name", ["x.json", "x.csv"])
def test_trap_6_an_answer_is_the_same_in_all_exports(tmp_path: Path, value: object, label: str, name: str) -> None:
    """Trap 6: in CSV and JSON_MIN the type of an answer depends on the number of choices; two labels or more stand
    under `choices`, so that a bare list is the path of one nested choice."""
    text = value if isinstance(value, str) else json.dumps(value)
    quoted = '"' + text.replace('"', '""') + '"'
    content = ls_csv(q=quoted) if name == "x.csv" else [ls_row(q=value)]
    rows = read(tmp_path, content, name, format="label_studio_min", columns={"label": "q"}).rows
    assert rows["label"].to_list() == [label]


def test_trap_7_labels_joined_by_a_hash_refuse_the_file(tmp_path: Path) -> None:
    """Trap 7: doccano's CSV joins by # without escaping, so that neutral#mixed may be one label or two."""
    content = "id,text,label,Comments\n1,t,good,\n2,t,neutral#mixed,\n"
    with pytest.raises(ReadError, match=r"Row 3 of bob\.csv has the label 'neutral#mixed'") as caught:
        read(tmp_path, content, "bob.csv")
    assert "JSONL" in caught.value.hint
    rows = read(tmp_path, [doccano(["neutral#mixed"]), doccano(["neutral", "mixed"])], "bob.jsonl").rows
    assert rows["label"].to_list() == ["neutral#mixed", '["mixed", "neutral"]']


def test_trap_8_labels_that_nobody_declared_are_read_and_then_judged(tmp_path: Path) -> None:
    """Trap 8: the API takes labels that are not in the configuration; declared labels find them."""
    export = read(tmp_path, [ls_row(q="Maybe", r={"choices": ["x", "y"]})])
    assert validate(export).rejects.is_empty()
    rejects = validate(export, labels={"q": ["yes", "no"], "r": ["x", "y"]}).rejects
    assert rejects.select("column_name", "value", "reason").rows() == [("label", "Maybe", "unknown_label")]


@pytest.mark.parametrize("folder", ["label_studio_min", "label_studio", "labelbox", "doccano"])
def test_trap_9_answers_to_a_part_of_an_item_are_rejects(folder: str) -> None:
    """Trap 9: choices of a region look like those of the item but for their place."""
    reasons = [set(read_export(path).rejects["reason"]) for path in fixtures(folder)]
    assert any("per_region" in reason for reason in reasons)


def test_trap_10_odd_answers_of_a_judge_are_labels_to_report(tmp_path: Path) -> None:
    """Trap 10: `Tie` and `garbage` stand beside 0, 1, 2; they are kept, and lm-eval's [invalid] is, too."""
    content = "item,rater,label\n1,judge,0\n2,judge,Tie\n3,judge,garbage\n"
    assert read(tmp_path, content, "x.csv").rows["label"].to_list() == ["0", "Tie", "garbage"]
    assert "[invalid]" in read_export(EXPORTS / "lm_eval" / "samples_sums.jsonl").rows["label"].to_list()


@pytest.mark.parametrize(
    ("name", "question"),
    [
        ("label_studio/export.json", "stars"),
        ("label_studio_min/table.csv", "stars"),
        ("argilla/records.json", "rating"),
    ],
)
def test_ratings_are_ordered_scales_in_the_settings_that_inspect_writes(name: str, question: str) -> None:
    """Stars are steps of a scale, other labels are not."""
    options = ReadOptions(prefix="p")
    assert read_export(EXPORTS / name, options).ordered == {f"p/{question}"}
    questions = tomllib.loads(str(inspect_file(EXPORTS / name, options)["toml"]))["questions"]
    assert {key for key, value in questions.items() if value.get("scale") == "ordinal"} == {f"p/{question}"}


# Again and again


def test_trap_11_two_annotations_of_one_user_are_two_rows(tmp_path: Path) -> None:
    """Trap 11: one user can have many annotations on a task; which one counts is not for the reader to say."""
    rows = read(tmp_path, [ls_row(q={"choices": ["a", "b"]}), ls_row(q="a") | {"annotation_id": 9}]).rows
    assert rows.select("rater", "label", "source_ref").rows() == [
        ("5", SET, "annotation:8"),
        ("5", "a", "annotation:9"),
    ]


def test_trap_12_predictions_of_no_version_and_no_score_have_a_name(tmp_path: Path) -> None:
    """Trap 12: model_version may be "", score null, an agent missing; the same version twice is kept twice."""
    result = [{"from_name": "q", "type": "choices", "value": {"choices": ["a"]}}]
    predictions = [{"id": n, "model_version": "", "score": None, "result": result} for n in (1, 2)]
    rows = read(tmp_path, [{"id": 1, "data": {}, "annotations": [], "predictions": predictions}]).rows
    assert rows.select("rater", "system_version", "score").rows() == [("unnamed model", None, None)] * 2
    suggestion = {"q.suggestion": "a", "q.suggestion.score": None, "q.suggestion.agent": None}
    rows = read(tmp_path, [argilla([], **suggestion)]).rows
    assert rows.select("rater", "rater_kind", "score").rows() == [("unnamed agent", "system", None)]


def test_trap_13_repeated_answers_are_all_handed_over_in_their_order(tmp_path: Path) -> None:
    """Trap 13: duplicates of (item, rater) are common, and sometimes meant; the rule is the question's."""
    records = [prodigy(accept=[label], _timestamp=1763679276 + n) for n, label in enumerate("aba")]
    rows = read(tmp_path, records, "set.jsonl").rows
    assert rows["label"].to_list() == ["a", "b", "a"]
    assert rows["row_number"].to_list() == [1, 2, 3]


def test_trap_14_what_vanished_from_a_full_export_is_deleted(tmp_path: Path) -> None:
    """Trap 14: deleted annotations simply vanish from a full export."""
    with connect(tmp_path / "warehouse.duckdb") as con:
        migrate(con)
    for day, items in enumerate(("12", "1"), start=20_000):
        tasks = [{"id": int(i), "data": {}, "annotations": [{"id": int(i), "completed_by": 5, "result": [
            {"from_name": "q", "type": "choices", "value": {"choices": ["a"]}}]}]} for i in items]  # fmt: skip
        path = write(tmp_path / "inbox", tasks, f"{day}.json")
        os.utime(path, (day * 86_400, day * 86_400))
        result = find_files([FolderSource("inbox", tmp_path / "inbox", full_export=True)]).readable
        (*_, last) = ingest(tmp_path / "warehouse.duckdb", result)
    assert (last.counts.n_unchanged, last.counts.n_deleted) == (1, 1)


# Status


@pytest.mark.parametrize("name", ["min.json", "table.csv", "table.tsv"])
def test_trap_15_what_csv_drops_is_said_and_blank_annotations_are_rejects(name: str) -> None:
    """Trap 15: CSV and JSON_MIN have no skipped annotations, and keep one without an answer as blanks."""
    export = read_export(EXPORTS / "label_studio_min" / name)
    assert "have lost the skipped annotations" in export.warnings[0]
    assert export.rejects.filter(reason="empty_answer")["detail"].to_list() == [
        "annotation:6 holds no answer to the questions that were read."
    ]


def test_trap_16_no_export_makes_gold_of_itself() -> None:
    """Trap 16: imports set ground_truth; Inspect and lm-eval have targets. None is gold unless it is asked for.

    Four tools say of an answer that it is the right one: Appen, Toloka, the experts of the Zooniverse, and expectations
    in MLflow.
    """
    texts = {"appen", "mlflow", "toloka", "zooniverse"}
    with_gold = {path.parent.name for path in fixtures(*FORMATS) if "gold" in set(read_export(path).rows["rater_kind"])}
    assert with_gold == texts


def test_trap_17_nested_argilla_is_refused_with_the_way_out(tmp_path: Path) -> None:
    """Trap 17: the nested JSON has no status, so that drafts and discards look like votes."""
    nested = {"id": "1", "fields": {}, "suggestions": {}, "responses": {"q": [{"value": "a", "user_id": "u"}]}}
    with pytest.raises(UnknownFormatError, match="does not carry the status") as caught:
        read(tmp_path, [nested])
    assert "flatten=True" in caught.value.hint
    export = read(tmp_path, [argilla(["submitted", "draft", "discarded"])])
    assert (export.rows["rater"].to_list(), export.n_skipped) == (["u0"], 2)


@pytest.mark.parametrize("name", ["records.json", "records.jsonl"])
@pytest.mark.parametrize("more", [{}, {"suggestions": []}])
def test_trap_17_argilla_1_is_refused_for_its_own_reason(tmp_path: Path, name: str, more: dict[str, Any]) -> None:
    """Its records have a status, and it has no flatten=True."""
    answer = {"user_id": "u", "status": "submitted", "values": {"q": {"value": "a"}}}
    record = {"fields": {"text": "t"}, "metadata": {}, "external_id": "1", "responses": [answer], **more}
    with pytest.raises(UnknownFormatError, match="These are records of Argilla 1") as caught:
        read(tmp_path, [record, record | {"external_id": "2"}], name)
    assert "a row per submitted response" in caught.value.hint


@pytest.mark.parametrize("name", ["records.json", "records.jsonl"])
def test_an_unknown_json_with_objects_shows_the_values_of_its_columns(tmp_path: Path, name: str) -> None:
    """The columns of equal objects, here metadata and metrics, are no raters of a wide table."""
    records = [
        {
            "id": i,
            "inputs": {"text": "t"},
            "annotation": "pos",
            "annotation_agent": "ann",
            "metadata": {},
            "metrics": {},
        }
        for i in range(3)
    ]
    with pytest.raises(UnknownFormatError, match="none of them is known as the rater") as caught:
        read(tmp_path, records, name)
    lines = {line.split()[0]: line.split(maxsplit=1)[1] for line in caught.value.lines[1:]}
    assert lines["id"] == "0, 1, 2"
    assert lines["annotation_agent"] == "ann"
    assert lines["inputs"] == '{"text": "t"}'


@pytest.mark.parametrize(("label", "name"), [([], "bob.jsonl"), (None, "bob.jsonl")])
def test_trap_18_unlabelled_items_are_missing_and_not_empty(tmp_path: Path, label: object, name: str) -> None:
    """Trap 18: doccano exports what nobody labelled with []; it is skipped, and no label of its own."""
    export = read(tmp_path, [doccano(label), doccano(["a"], 2)], name)
    assert (export.n_skipped, export.rows["label"].to_list(), export.rejects.height) == (1, ["a"], 0)
    assert "Items that the user has not labelled, counted as skipped: 1." in export.warnings


def test_trap_18_the_file_of_all_names_nobody(tmp_path: Path) -> None:
    """Trap 18: a collaborative export repeats labels without names."""
    with pytest.raises(UnknownFormatError, match=r"not say who labelled"):
        read(tmp_path, [doccano(["a", "a"]), doccano(["b"], 2)], "all.jsonl")


def test_trap_19_three_meanings_of_no_label_are_kept_apart(tmp_path: Path) -> None:
    """Trap 19: rejected, accepted with no option chosen, and ignored; and in a binary task the word is the vote."""
    records = [prodigy(accept=[], answer=answer) for answer in ("reject", "accept", "ignore")]
    export = read(tmp_path, records, "set.jsonl")
    assert export.rejects["reason"].to_list() == ["rejected_answer", "empty_answer"]
    assert export.n_skipped == 1
    binary = read(tmp_path, [prodigy(label="SPAM", answer=answer) for answer in ("accept", "reject")], "set.jsonl")
    assert binary.rows.select("question", "label").rows() == [("SPAM", "accept"), ("SPAM", "reject")]


def test_trap_20_rejected_assignments_are_no_votes(tmp_path: Path) -> None:
    """Trap 20: rejected assignments stand in the file."""
    export = read(tmp_path, mturk("Rejected"), "batch.csv")
    assert export.rows.is_empty()
    assert export.rejects.select("row_number", "column_name", "value", "reason").rows() == [
        (2, "AssignmentStatus", "Rejected", "rejected_answer")
    ]


# Time and encoding


@pytest.mark.parametrize("submitted", ["Wed Jan 16 13:42:47 PST 2019", "2019-01-16 21:42:47 UTC"])
def test_trap_21_both_forms_of_time_are_the_same_instant(tmp_path: Path, submitted: str) -> None:
    """Trap 21: Mechanical Turk writes PST and UTC in one row."""
    rated_at = validate(read(tmp_path, mturk(submitted=submitted), "batch.csv")).ratings["rated_at"][0]
    assert rated_at.isoformat() == "2019-01-16T21:42:47+00:00"


def test_trap_21_seconds_naive_times_and_no_times(tmp_path: Path) -> None:
    """Trap 21: Prodigy has seconds, SageMaker naive times, Inspect an offset; doccano and Argilla have none."""
    ratings = validate(read(tmp_path, [prodigy(accept=["a"])], "set.jsonl")).ratings
    assert ratings["rated_at"][0].isoformat() == "2025-11-20T22:54:36+00:00"
    naive = {"workerId": "w", "answerContent": {"q": "a"}, "submissionTime": "2026-02-01T10:00:12.500000"}
    ratings = validate(read(tmp_path, [{"source-ref": "x", "answers": [naive]}])).ratings
    assert ratings["rated_at"][0].isoformat() == "2026-02-01T10:00:12.500000+00:00"
    for content, name in (([doccano(["a"])], "bob.json"), ([argilla(["submitted"])], "x.json")):
        result = validate(read(tmp_path, content, name))
        assert result.ratings["rated_at"].to_list() == [None]
        assert result.rejects.is_empty()


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_trap_22_escaped_and_raw_text_are_the_same(tmp_path: Path, encoding: str) -> None:
    """Trap 22: Label Studio's JSON is escaped ASCII, the others raw UTF-8."""
    for escaped in (True, False):
        path = tmp_path / "bob.json"
        path.write_text(json.dumps([doccano(["Grüße"])], ensure_ascii=escaped), encoding=encoding)
        assert read_export(path).rows["label"].to_list() == ["Grüße"]


def test_trap_22_two_columns_of_one_name_refuse_the_file(tmp_path: Path) -> None:
    """Trap 22: a field of the data named label gives doccano's CSV two columns of that name."""
    with pytest.raises(ReadError, match="two columns named 'label'") as caught:
        read(tmp_path, "id,text,label,label,Comments\n1,t,x,good,\n", "bob.csv")
    assert caught.value.row == 1


def test_trap_23_cells_with_line_ends_are_one_row(tmp_path: Path) -> None:
    """Trap 23: texts with line ends are quoted; a file named .jsonl may be a JSON array."""
    content = 'id,text,label,Comments\n1,"two\nlines, “one”",good,\n2,t,bad,\n'
    assert read(tmp_path, content, "bob.csv").rows["row_number"].to_list() == [2, 3]
    path = write(tmp_path, json.dumps([doccano(["a"]), doccano(["b"], 2)], indent=1), "example.jsonl")
    assert detect(path) == "doccano"
    assert read_export(path).rows["label"].to_list() == ["a", "b"]


# Privacy


def test_trap_24_fixtures_hold_no_addresses_of_people() -> None:
    """Trap 24: exports hold e-mail and internet addresses and names; fixtures are made up."""
    for path in fixtures(*FORMATS):
        text = path.read_bytes().decode("utf-8", "replace")
        assert not [result for result in re.findall(r"[\w.]+@[\w.]+\.\w+", text) if "example" not in result], path
        assert not re.search(r"\b\d{1,3}\.\d{1,3}\.\d{1,3}\.\d{1,3}\b", text), path


def test_all_traps_have_a_test() -> None:
    """By number: each trap of the list, here or among the tests of Label Studio's JSON."""
    here = Path(__file__)
    text = here.read_text(encoding="utf-8") + here.with_name("test_label_studio.py").read_text(encoding="utf-8")
    numbers = {
        int(number)
        for name in re.findall(r"def test_trap_((?:\d+_(?:and_)?)+)", text)
        for number in re.findall(r"\d+", name)
    }
    assert numbers == set(range(1, 25))


def fixtures(*folders: str) -> list[Path]:
    return [path for folder in folders for path in sorted((EXPORTS / folder).glob("*")) if path.name != "expected.json"]

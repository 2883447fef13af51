"""Mechanical Turk's batches: answers, checkboxes, forms, times, rejected assignments."""

from pathlib import Path

import pytest

from tasks.errors import ReadError
from tasks.formats import FORMATS, Export, ReadOptions
from tasks.formats.mturk import iso_time
from tasks.ingest.read_export import detect, read_export
from tasks.ingest.validate import validate

EXPORTS = Path(__file__).parents[2] / "data" / "exports" / "mturk"
HEADER = "HITId,AssignmentId,WorkerId,AssignmentStatus,SubmitTime,WorkTimeInSeconds,Input.text,"


def read(tmp_path: Path, answers: str, *cells: str, **options: object) -> Export:
    path = tmp_path / "batch.csv"
    rows = [f"H{i},A{i},W{i},Submitted,,,t,{row}" for i, row in enumerate(cells, start=1)]
    path.write_text("\n".join([HEADER + answers, *rows]) + "\n", encoding="utf-8")
    return read_export(path, ReadOptions(**options))  # type: ignore[arg-type]


def test_an_assignment_is_a_row_per_question() -> None:
    rows = validate(read_export(EXPORTS / "batch.csv")).ratings.filter(source_ref="A1WA")
    assert rows.select("question", "item", "rater", "label", "duration_s").rows() == [
        ("tone", "H1", "WA", "good", 167.0),
        ("topics", "H1", "WA", '["price", "service"]', 167.0),
        ("seen", "H1", "WA", "web", 167.0),
    ]
    assert rows["rated_at"].dt.to_string("%Y-%m-%dT%H:%M:%SZ").unique().to_list() == ["2019-01-16T21:42:47Z"]


def test_inputs_are_item_metadata() -> None:
    metadata = read_export(EXPORTS / "batch.csv").metadata.filter(item="H1", question="tone")
    assert metadata.select("key", "value").rows() == [("text", "text 1"), ("url", "https://example.org/1")]


def test_an_input_can_name_the_item_and_the_answers_can_be_chosen(tmp_path: Path) -> None:
    rows = read_export(EXPORTS / "batch.csv", ReadOptions(columns={"item": "Input.url"})).rows
    assert set(rows["item"]) == {f"https://example.org/{i}" for i in (1, 2, 3)}
    options = ReadOptions(format="mturk", columns={"label": "Answer.tone|Answer.topics"})
    assert set(read_export(EXPORTS / "batch.csv", options).rows["question"]) == {"tone", "topics"}


def test_true_and_false_in_one_column_are_labels_and_in_several_an_option_each(tmp_path: Path) -> None:
    assert read(tmp_path, "Answer.ok", "true", "false").rows["label"].to_list() == ["true", "false"]
    export = read(tmp_path, "Answer.t.a,Answer.t.b", "true,false", "TRUE,true", ",", "false,false")
    assert export.rows.select("question", "label").rows() == [("t", "a"), ("t", '["a", "b"]')]
    assert export.rejects.select("row_number", "reason").rows() == [(4, "empty_answer"), (5, "empty_answer")]


def test_options_with_dots_that_are_no_ticks_are_questions(tmp_path: Path) -> None:
    assert set(read(tmp_path, "Answer.q.1,Answer.q.2", "yes,no", "no,no").rows["question"]) == {"q.1", "q.2"}


def test_forms_are_taken_apart() -> None:
    rows = read_export(EXPORTS / "forms.csv").rows
    assert rows.filter(rater="WA").select("question", "label").rows() == [
        ("tone", "good"), ("topics", '["price", "service"]'), ("note", "fine"),
    ]  # fmt: skip


def test_a_form_that_is_no_json_is_a_reject(tmp_path: Path) -> None:
    export = read(tmp_path, "Answer.taskAnswers", '"[{""q"": {""label"""', '"[{""q"": ""\\ud83d""}]"')
    assert export.rejects.select("row_number", "reason").rows() == [(2, "unsupported_control")]
    assert export.rows["label"].to_list() == ["\ufffd"]


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("Wed Jul 17 03:02:01 PDT 2019", "2019-07-17T03:02:01-07:00"),
        ("Sun Feb  3 03:02:01 UTC 2019", "2019-02-03T03:02:01+00:00"),
        ("Sun Xyz 13 03:02:01 UTC 2019", "Sun Xyz 13 03:02:01 UTC 2019"),
        ("Sun Feb 3 03:02:01 ABCD 2019", "Sun Feb 3 03:02:01 ABCD 2019"),
        ("", None),
        (None, None),
    ],
)
def test_times(written: str | None, read: str | None) -> None:
    assert iso_time(written) == read


def test_rows_end_before_the_columns_that_the_requester_fills_in(tmp_path: Path) -> None:
    header = "HITId,WorkerId,AssignmentStatus,Answer.tone,Approve,Reject"
    path = tmp_path / "batch.csv"
    path.write_text(
        f"{header}\nH1,WA,Submitted,calm\nH1,WB,Submitted,calm,x,\nH2,WA,Submitted,rude,,blank\nH2,WB,Submitted\n"
    )
    export = read_export(path)
    assert export.rows.select("item", "rater", "label").rows() == [("H1", "WA", "calm"), ("H1", "WB", "calm")]
    assert sorted(export.rejects.select("row_number", "reason").rows()) == [(4, "rejected_answer"), (5, "ragged_row")]
    path.write_text("item,rater,label,Approve,Reject\n1,a,a\n2,b,b\n")
    with pytest.raises(ReadError, match="The row has 3 cells, the header has 5"):
        read_export(path)


def test_ids_that_the_form_sends_back_are_no_questions(tmp_path: Path) -> None:
    export = read(tmp_path, "Answer.workerId,Answer.hitId,Answer.tone", "W1,H1,calm", "W2,H2,rude")
    assert set(export.rows["question"]) == {"tone"}
    assert export.warnings == (
        "Not read as answers, because they are ids that the form sends back: 'Answer.workerId', 'Answer.hitId'.",
    )


def test_a_table_with_a_worker_and_mapped_columns_is_a_table(tmp_path: Path) -> None:
    export = read(tmp_path, "Answer.q", "yes", columns={"label": "Answer.q", "item": "HITId"})
    assert export.format == "long"


def test_other_tables_are_refused_by_name() -> None:
    path = EXPORTS.parent / "long" / "crowd.csv"
    assert detect(path) == "long"
    with pytest.raises(ReadError, match="not a batch of Mechanical Turk"):
        FORMATS["mturk"].read(path)

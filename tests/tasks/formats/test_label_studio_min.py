"""Label Studio's JSON_MIN, CSV and TSV: which columns are questions, and what is said of what is lost."""

from pathlib import Path

import pytest

from tasks.errors import ReadError
from tasks.formats import FORMATS, ReadOptions
from tasks.ingest.read_export import read_export

EXPORTS = Path(__file__).parents[2] / "data" / "exports" / "label_studio_min"
HEADER = "annotation_id,annotator,id,lead_time,q,text\n"


def write(tmp_path: Path, content: str) -> Path:
    path = tmp_path / "project.csv"
    path.write_text(content, encoding="utf-8")
    return path


def test_the_three_forms_hold_the_same_answers() -> None:
    rows = [
        read_export(EXPORTS / name).rows.sort("source_ref", "question").drop("row_number", "duration_s")
        for name in ("min.json", "table.csv", "table.tsv")
    ]
    assert rows[0].rows() == rows[1].rows() == rows[2].rows()


def test_an_answer_has_rater_time_duration_and_reference() -> None:
    row = read_export(EXPORTS / "min.json").rows.filter(question="tone", source_ref="annotation:2").row(0, named=True)
    assert (row["item"], row["rater"], row["label"], row["duration_s"]) == ("1", "2", "bad", "3")
    assert row["rated_at"] == "2026-05-02T09:32:00.000000Z"


def test_data_of_the_items_are_metadata() -> None:
    metadata = read_export(EXPORTS / "table.csv").metadata.filter(item="2", question="tone")
    assert sorted(metadata.select("key", "value").rows()) == [
        ("ext_id", "doc-2"), ("n", "1"), ("text", "Loud, and\ncold"),
    ]  # fmt: skip


def test_a_column_that_differs_within_an_item_is_a_question_and_others_are_not(tmp_path: Path) -> None:
    export = read_export(write(tmp_path, HEADER + "1,5,1,,a,t\n2,6,1,,b,t\n3,5,2,,a,t\n"))
    assert export.rows.select("question", "label").rows() == [("q", "a"), ("q", "b"), ("q", "a")]
    assert "Read as data of the items, because no item has two values in them: 'text'." in export.warnings


def test_where_nothing_shows_a_question_it_is_refused_and_names_help(tmp_path: Path) -> None:
    path = write(tmp_path, HEADER + "1,5,1,,a,t\n2,6,2,,b,t\n")
    with pytest.raises(ReadError, match=r"does not say which of its columns are questions: 'q', 'text'") as caught:
        read_export(path)
    assert "--format label_studio_min --columns 'label=COLUMN|COLUMN'" in caught.value.hint
    options = ReadOptions(format="label_studio_min", columns={"label": "q"})
    assert read_export(path, options).rows["label"].to_list() == ["a", "b"]


def test_the_columns_whose_values_repeat_are_proposed_as_questions(tmp_path: Path) -> None:
    lines = "".join(f"{n},1,{n},,{'ab'[n % 2]},A text {n}\n" for n in range(4))
    with pytest.raises(ReadError, match="does not say which") as caught:
        read_export(write(tmp_path, HEADER + lines))
    assert "--format label_studio_min --columns 'label=q'" in caught.value.hint


def test_free_texts_are_no_questions(tmp_path: Path) -> None:
    lines = "".join(f'{n},{n},1,,"{"x" * 101}{n}",t\n' for n in range(3))
    with pytest.raises(ReadError, match="does not say which"):
        read_export(write(tmp_path, HEADER + lines))


def test_who_maps_rater_or_label_reads_a_table() -> None:
    export = read_export(EXPORTS / "table.csv", ReadOptions(columns={"label": "tone"}))
    assert (export.format, export.rows["question"].unique().to_list()) == ("long", ["table"])


def test_other_tables_are_refused_by_name() -> None:
    with pytest.raises(ReadError, match="not a JSON_MIN or CSV of Label Studio"):
        FORMATS["label_studio_min"].read(EXPORTS.parent / "long" / "crowd.csv")

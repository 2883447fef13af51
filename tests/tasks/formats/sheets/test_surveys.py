"""Survey sheets: which columns are items, what is refused, times, unfinished responses."""

from pathlib import Path

import pytest

from tasks.errors import ReadError
from tasks.formats import ReadOptions
from tasks.formats.sheets.google_forms import iso_time
from tasks.ingest.read_export import detect, read_export

EXPORTS = Path(__file__).parents[3] / "data" / "exports"
AT = "2026/05/01 10:00:00 AM GMT+2"


def write(tmp_path: Path, content: str) -> Path:
    path = tmp_path / "file.csv"
    path.write_text(content, encoding="utf-8")
    return path


def test_the_columns_of_a_form_are_its_items() -> None:
    rows = read_export(EXPORTS / "google_forms" / "form.csv").rows
    assert rows["item"].unique().sort().to_list() == [f"Text {n}: how rude?" for n in (1, 2, 3)]
    assert rows["rated_at"].unique().sort().to_list() == [
        "2026-05-01T00:00:00+05:30",
        "2026-05-01T10:00:00+02:00",
        "2026-05-01T12:30:00+02:00",
    ]


def test_a_grid_says_question_and_item() -> None:
    rows = read_export(EXPORTS / "google_forms" / "grid.csv").rows
    assert set(rows.select("question", "item").rows()) == {
        (question, item) for question in ("Tone", "Length") for item in ("Text A", "Text B")
    }


def test_a_grid_in_a_sheet_whose_raters_are_usernames(tmp_path: Path) -> None:
    header = "Timestamp,Username,Rate each text [A],Rate each text [B]"
    path = write(tmp_path, f"{header}\n1/15/2024 10:23:11,a@x.org,4,2\n1/16/2024 10:25:11,b@x.org,5,2\n")
    rows = read_export(path).rows
    assert set(rows.select("question", "item", "rater").rows()) == {
        ("Rate each text", item, f"{rater}@x.org") for item in "AB" for rater in "ab"
    }


@pytest.mark.parametrize(
    ("header", "first", "second", "why"),
    [
        ("Age,Town", "30,X", "40,Y", "no two of columns"),
        ("A,B,C,D", "yes,no,kind,rude", "no,yes,rude,kind", "several groups of columns could be items"),
        ("Text 1,Text 2,How sure are you?", "1,2,2", "2,1,7", "share labels with them"),
    ],
)
def test_a_form_whose_items_are_not_certain_is_refused(
    tmp_path: Path, header: str, first: str, second: str, why: str
) -> None:
    path = write(tmp_path, f"Timestamp,{header}\n{AT},{first}\n{AT},{second}\n")
    with pytest.raises(ReadError, match=why) as caught:
        read_export(path)
    assert "--format google_forms" in caught.value.hint
    names = header.split(",")[:2]
    rows = read_export(path, ReadOptions(columns={"label": "|".join(names)})).rows
    assert rows["item"].unique().sort().to_list() == sorted(names)


@pytest.mark.parametrize(
    ("text", "iso"),
    [
        ("2026/5/1 12:05:00 AM GMT-7", "2026-05-01T00:05:00-07:00"),
        ("2026/05/01 12:05:00 PM GMT", "2026-05-01T12:05:00+00:00"),
        ("5/1/2026", "5/1/2026"),
    ],
)
def test_times_of_forms_keep_their_zone(text: str, iso: str) -> None:
    assert iso_time(text) == iso


def test_a_loop_gives_item_and_question_and_unfinished_responses_are_skipped() -> None:
    export = read_export(EXPORTS / "qualtrics" / "survey.csv")
    assert set(export.rows.select("question", "item").rows()) == {(q, i) for q in ("Q1", "Q2") for i in "12"}
    assert export.rows["rater"].unique().sort().to_list() == ["R_1", "R_2"]
    assert export.n_skipped == 3
    assert ("Q1", "2", "text", "Text B - Rude?") in export.metadata.rows()


def test_a_survey_without_a_loop_is_refused_unless_its_items_are_named(tmp_path: Path) -> None:
    text = (EXPORTS / "qualtrics" / "survey.csv").read_text(encoding="utf-8")
    path = write(tmp_path, text.replace("1_Q1,2_Q1,1_Q2,2_Q2", "A,B,C,D"))
    with pytest.raises(ReadError, match="without a loop"):
        read_export(path)
    rows = read_export(path, ReadOptions(columns={"label": "A|B"}, question="rude")).rows
    assert set(rows.select("question", "item").rows()) == {("rude", "A"), ("rude", "B")}


def test_tests_of_a_survey_are_no_votes_and_texts_and_times_no_questions(tmp_path: Path) -> None:
    text = (EXPORTS / "qualtrics" / "survey.csv").read_text(encoding="utf-8")
    header, *rest = text.splitlines()
    names = header.replace("1_Q2,2_Q2", "1_Q1_3_TEXT,1_Q9_Page Submit")
    test = rest[2].replace("R_1", "R_9").replace("IP Address", "Survey Test")
    assert "Survey Test" in test
    export = read_export(write(tmp_path, "\n".join([names, *rest, test]) + "\n"))
    assert set(export.rows["question"]) == {"Q1"}
    assert "R_9" not in set(export.rows["rater"])
    assert export.n_skipped == 4


@pytest.mark.parametrize(
    ("times", "read"),
    [
        (("5/1/2026 13:00:00", "5/13/2026 9:00:00"), {"2026-05-01T13:00:00", "2026-05-13T09:00:00"}),
        (("13/5/2026 13:00:00", "1/5/2026 9:00:00"), {"2026-05-13T13:00:00", "2026-05-01T09:00:00"}),
        (("5/1/2026 13:00:00", "5/2/2026 9:00:00"), {None}),
    ],
)
def test_the_sheet_of_a_form_is_read_with_times_that_are_certain(
    tmp_path: Path, times: tuple[str, str], read: set[str | None]
) -> None:
    header = "Timestamp,Email Address,Text 1: how rude?,Text 2: how rude?"
    export = read_export(write(tmp_path, f"{header}\n{times[0]},a@x,1,2\n{times[1]},b@x,1,1\n"))
    assert (export.format, export.rows.height, set(export.rows["rated_at"])) == ("google_forms", 4, read)
    assert any("which number of the times is the month" in note for note in export.warnings) is (None in read)


def test_a_long_table_that_begins_with_a_time_is_no_form(tmp_path: Path) -> None:
    table = "Timestamp,Username,item,label\n5/13/2026 9:00:00,ann,1,yes\n5/13/2026 9:00:00,ben,1,no\n"
    assert detect(write(tmp_path, table), ReadOptions()) == "long"

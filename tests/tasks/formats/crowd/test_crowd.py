"""Crowd platforms: what is no vote, what is gold, which columns are answers."""

from pathlib import Path

import pytest

from tasks.errors import ReadError
from tasks.formats import Export, ReadOptions
from tasks.ingest.read_export import detect, read_export

EXPORTS = Path(__file__).parents[3] / "data" / "exports"
APPEN = EXPORTS / "appen" / "full_report.csv"
TOLOKA = EXPORTS / "toloka" / "assignments.tsv"


def votes(export: Export) -> set[tuple[str, str, str, str]]:
    return set(export.rows.select("question", "item", "rater", "label").rows())


def test_a_tainted_judgment_is_no_vote_and_a_test_question_is_gold_once() -> None:
    export = read_export(APPEN)
    assert "w2" not in set(export.rows["rater"])
    assert export.rows.filter(export.rows["rater_kind"] == "gold").select("question", "item", "label").rows() == [
        ("tone", "2", "kind")
    ]
    assert export.rows["rated_at"].drop_nulls()[0] == "2026-03-24T17:57:02"
    assert any("accept several answers" in warning for warning in export.warnings)


def test_ticked_boxes_are_a_set_and_the_data_of_the_unit_no_answer() -> None:
    export = read_export(APPEN)
    assert ("marks", "1", "w1", '["fast", "loud"]') in votes(export)
    assert "url" not in set(export.rows["question"])


def test_the_user_names_the_answers_of_a_full_report() -> None:
    options = ReadOptions(columns={"label": "note"})
    assert detect(APPEN, options) == "appen"
    export = read_export(APPEN, options)
    assert votes(export) == {("note", "1", "w1", "fine")}
    assert "rejected_answer" in set(export.rejects["reason"])


def test_a_full_report_that_shows_no_answers_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "report.csv"
    path.write_text("_unit_id,_worker_id,_tainted,tone\n1,w1,false,x\n1,w2,false,x\n", encoding="utf-8")
    with pytest.raises(ReadError, match="Nothing shows which columns are answers"):
        read_export(path)


@pytest.mark.parametrize("columns", [{}, {"label": "OUTPUT:animal"}, {"item": "INPUT:image"}])
def test_rejected_and_unfinished_assignments_are_no_votes(columns: dict[str, str]) -> None:
    export = read_export(TOLOKA, ReadOptions(columns=columns))
    assert "w2" not in set(export.rows["rater"])
    assert (export.n_skipped, list(export.rejects["reason"]).count("rejected_answer")) == (1, 1)
    assert ("gold", "dog") in set(export.rows.select("rater", "label").rows())


def test_an_experts_classification_is_gold_and_a_drawing_no_label() -> None:
    export = read_export(EXPORTS / "zooniverse" / "classifications.csv")
    assert ("T0", "100", "gold:lead", "Yes") in votes(export)
    assert ("T0", "101", "ben", "Yes") in votes(export)
    assert "T2" not in set(export.rows["question"])


def test_a_point_of_a_scale_is_its_number_and_a_text_no_label() -> None:
    export = read_export(EXPORTS / "potato" / "annotated_instances.jsonl")
    assert ("likert", "i1", "ann", "4") in votes(export)
    state = read_export(EXPORTS / "potato" / "user_state.json")
    assert votes(state) == {
        ("tone", "i1", "ann@example.org", "kind"),
        ("marks", "i1", "ann@example.org", '["fast", "loud"]'),
    }


def zooniverse(path: Path, rows: list[tuple[str, str, str]]) -> Path:
    """Write classifications: user, workflow and the JSON of the tasks."""
    cells = ['"' + tasks.replace('"', '""') + '"' for _, _, tasks in rows]
    lines = [f"{n},{u},{w},Flow {w},{cell},7" for n, ((u, w, _), cell) in enumerate(zip(rows, cells, strict=True))]
    path.write_text(
        "\n".join(["classification_id,user_name,workflow_id,workflow_name,annotations,subject_ids", *lines])
    )
    return path


def test_tasks_of_two_workflows_are_different_questions(tmp_path: Path) -> None:
    task = '[{"task": "T0", "value": "Yes"}]'
    path = zooniverse(tmp_path / "z.csv", [("ann", "1", task), ("ann", "2", task)])
    assert {row[0] for row in votes(read_export(path))} == {"Flow 1/T0", "Flow 2/T0"}


def test_the_choices_of_a_survey_are_a_set_and_a_menu_is_one_label(tmp_path: Path) -> None:
    survey = '{"task": "T0", "value": [{"choice": "LION", "answers": {}}, {"choice": "HYENA", "answers": {}}]}'
    menu = '{"task": "T1", "value": [{"value": "3f2a", "option": true, "label": "Day"}]}'
    path = zooniverse(tmp_path / "z.csv", [("ann", "1", f"[{survey}, {menu}]")])
    assert votes(read_export(path)) == {("T0", "7", "ann", '["HYENA", "LION"]'), ("T1", "7", "ann", "Day")}

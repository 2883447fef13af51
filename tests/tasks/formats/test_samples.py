"""Every real sample is read or refused with the right sentence, and counts agree with a count of the raw file.

The samples lie in the team's shared folder beside the checkout; without it these tests are skipped.
"""

import csv
import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from tasks.errors import ReadError
from tasks.formats import ReadOptions
from tasks.ingest.read_export import read_export
from tasks.ingest.validate import ValidatedExport, validate

SAMPLES = Path(__file__).parents[4] / "shared" / "data" / "samples"
LIVE = SAMPLES / "label-studio-live"
pytestmark = pytest.mark.skipif(not SAMPLES.exists(), reason=f"{SAMPLES} is not there")

REFUSED = {
    "argilla/records_to_json.json": "does not carry the status",
    "argilla/to_list.json": "does not carry the status",
    "label-studio-live/annotation_create_response.json": "without their tasks",
    "label-studio-live/api_predictions.json": "without their tasks",
    "label-studio-live/api_users.json": "none of them is known as the label",
    "label-studio-live/export_formats.json": "none of them is known as the item",
    "label-studio-live/ids.json": "none of them is known as the item",
    "label-studio-live/label_config.xml": "XML or a web page",
    "label-studio-live/project.json": "is not a known export",
    "label-studio-live/snapshot_status.json": "is not a known export",
    "label-studio-live/traps_label_config.xml": "XML or a web page",
    "label-studio-live/webhook_deliveries.json": "none of them is known as the item",
}
"""What is not an export, or one without names; doccano's are below."""

FILES = sorted(
    name
    for path in SAMPLES.rglob("*")
    if path.is_file() and not (name := path.relative_to(SAMPLES).as_posix()).startswith("shapes/")
)
SHAPES = SAMPLES / "shapes"
LABEL_STUDIO = [name for name in FILES if name.startswith("label-studio-live") and name not in REFUSED]
LOSSY = [name for name in LABEL_STUDIO if "MIN" in name or not name.endswith(".json")]
DOCCANO = [name for name in FILES if name.startswith("doccano")]


def checked(name: str) -> ValidatedExport:
    export = read_export(SAMPLES / name)
    result = validate(export)
    assert result.n_rows == result.ratings.height + result.rejects.height + result.n_skipped
    return result


def raw(name: str) -> Any:
    return json.loads((SAMPLES / name).read_text(encoding="utf-8"))


SHAPES_REFUSED = {
    "category_meta.csv": "'helpful' could be the label",
    "dices_many_question_columns.csv": "'response' of dices_many_question_columns.csv is probably not the label",
    "get_another_label_headerless.txt": "seems to have no header",
    "jigsaw_individual_annotations.csv": "none of them is known as the label",
    "jigsaw_train.csv": "hold only 0 and 1 under names that do not look like people's",
    "llm_eval_sheet.csv": "'score' could be the label",
    "mace_headerless_matrix.csv": "seems to have no header",
    "multi_q.csv": "none of them is known as the label",
    "qa_sheet.csv": "'score' could be the label",
    "wide_gold.csv": "'gold_label' is named as an aggregate",
}
SHAPES_MAPPED_REFUSED = {
    "crows_pairs_list_cells.csv": ({"item": "sent_more", "rater": "anon_writer", "label": "annotations"}, "lists w"),
    "fleiss_table_counts.csv": ({"item": "subject", "raters": "cat1|cat2|cat3"}, "adds up to 14"),
    "google_forms_respondent_rows.csv": (
        {"item": "Email Address", "raters": "Item 1: how rude?|Item 2: how rude?"}, "e-mail addresses"),
    "snli_annotator_labels.jsonl": ({"item": "pairID", "rater": "captionID", "label": "annotator_labels"}, "repeats a"),
    "zooniverse_classifications.csv": (
        {"item": "subject_ids", "rater": "user_name", "label": "annotations"}, "holds objects"),
}  # fmt: skip
SHAPES_MAPPED = {
    "llm_eval_sheet.csv": ({"label": "score"}, 6, 2),
    "qa_sheet.csv": ({"label": "score"}, 4, 2),
    "category_meta.csv": ({"label": "helpful"}, 4, 2),
    "dices_many_question_columns.csv": ({"label": "Q_overall"}, 3, 2),
    "jigsaw_individual_annotations.csv": ({"label": "toxic"}, 4, 3),
    "goemotions_onehot.csv": ({"label": "joy"}, 5, 3),
    "multi_q.csv": ({"label": "toxicity"}, 4, 2),
    "popquorn_survey_long.csv": ({"label": "offensiveness"}, 3, 2),
    "wide_gold.csv": ({"raters": "ann1|ann2|ann3"}, 9, 3),
    "r_write_csv_rownames.csv": ({}, 9, 3),
    "scale_rapid_wide_judges.csv": ({"item": "prompt", "raters": "human_rating_1|human_rating_2|llm_judge"}, 6, 3),
    "dawid_skene_obs_triples.csv": ({"item": "patient", "rater": "observer"}, 10, 3),
}  # fmt: skip


@pytest.mark.field_trial(10)
@pytest.mark.field_trial(12)
@pytest.mark.skipif(not SHAPES.exists(), reason=f"{SHAPES} is not there")
@pytest.mark.parametrize("name", SHAPES_REFUSED)
def test_shapes_that_would_be_misread_are_refused(name: str) -> None:
    with pytest.raises(ReadError, match=SHAPES_REFUSED[name]):
        read_export(SHAPES / name)


@pytest.mark.field_trial(16)
@pytest.mark.skipif(not SHAPES.exists(), reason=f"{SHAPES} is not there")
@pytest.mark.parametrize("name", SHAPES_MAPPED_REFUSED)
def test_shapes_that_a_mapping_would_misread_are_refused(name: str) -> None:
    columns, why = SHAPES_MAPPED_REFUSED[name]
    with pytest.raises(ReadError, match=why):
        read_export(SHAPES / name, ReadOptions(columns=columns))


@pytest.mark.field_trial(20)
@pytest.mark.skipif(not SHAPES.exists(), reason=f"{SHAPES} is not there")
@pytest.mark.parametrize("name", SHAPES_MAPPED)
def test_shapes_are_read_by_the_mapping_that_is_proposed(name: str) -> None:
    columns, n_ratings, n_raters = SHAPES_MAPPED[name]
    export = read_export(SHAPES / name, ReadOptions(columns=columns))
    assert (export.rows.height, export.rows["rater"].n_unique()) == (n_ratings, n_raters)
    assert set(export.rows["question"]) == {Path(name).stem}


def test_every_sample_has_its_test() -> None:
    tested = {*REFUSED, *LABEL_STUDIO, *DOCCANO, "argilla/to_list_flatten.json", "argilla/to_dict_flatten.json"}
    assert set(FILES) == tested


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_no_export_is_refused_with_the_right_sentence(name: str) -> None:
    with pytest.raises(ReadError, match=REFUSED[name]) as caught:
        read_export(SAMPLES / name)
    assert caught.value.hint


@pytest.mark.parametrize("name", [name for name in LABEL_STUDIO if name not in LOSSY])
def test_label_studio_json(name: str) -> None:
    result = raw(name)
    tasks = result["tasks"] if "tasks" in result else result if isinstance(result, list) else [result]
    annotations = [a for task in tasks for a in task["annotations"]]
    shown = {a["prediction"]["id"]: a["prediction"] for a in annotations if a.get("prediction")}
    full = {p["id"]: p for task in tasks for p in task["predictions"] if isinstance(p, dict)}
    rows = [a for a in annotations if not a["was_cancelled"]]
    results = [r for a in (*rows, *(shown | full).values()) for r in a["result"]]
    whole = [r for r in results if r["type"] in ("choices", "taxonomy", "rating") and "start" not in r["value"]]
    counts = checked(name)
    assert counts.ratings.height == len(whole)
    assert Counter(counts.ratings["question"]) == Counter(r["from_name"] for r in whole)
    assert counts.n_skipped == len(annotations) - len(rows)
    assert counts.rejects.height == len(results) - len(whole) + sum(not a["result"] for a in rows)
    assert counts.ratings.filter(rater_kind="system").height == sum(len(p["result"]) for p in (shown | full).values())


CHOICES = {
    "export": {"sentiment", "topics", "tax", "stars"},
    "traps_export": {"q1", "q2", "q3", "nested"},
}
LIKE_TEXTS = {"export": 3, "traps_export": 1}
"""Answers in JSON_MIN that look like those of a text area. The one of `q3` is a choice that a single item has."""


@pytest.mark.parametrize("name", LOSSY)
def test_label_studio_csv_and_json_min(name: str) -> None:
    path = SAMPLES / name
    if path.suffix == ".json":
        rows = raw(name)
    else:
        with path.open(encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file, delimiter="\t" if path.suffix == ".tsv" else ","))
    export, counts = read_export(path), checked(name)
    assert export.format == "label_studio_min"
    traps = path.stem.startswith("traps")
    results = set(counts.ratings["question"])
    # The trap project's CSV has one annotation a task: only what has the form of an answer is known as a question.
    project = "traps_export" if traps else "export"
    questions = {"q2"} if traps and path.suffix == ".csv" else CHOICES[project] - {"q3"}
    assert results == questions
    answered = Counter(q for row in rows for q in questions if row.get(q))
    assert Counter(counts.ratings["question"]) == answered
    texts = LIKE_TEXTS[project] if path.suffix == ".json" else 0
    assert counts.rejects.filter(reason="unsupported_control").height == texts
    assert counts.n_skipped == sum(not row["annotation_id"] for row in rows)
    parts = ("ner", "per_region") if path.suffix == ".json" else ("ner",)
    assert counts.rejects.filter(reason="per_region").height == sum(bool(row.get(k)) for row in rows for k in parts)
    annotated = [row for row in rows if row["annotation_id"]]
    without = sum(not any(row.get(key) for key in (*questions, "ner")) for row in annotated)
    assert counts.rejects.filter(reason="empty_answer").height == without
    assert set(counts.rejects["reason"]) <= {"per_region", "empty_answer", "unsupported_control"}


def test_label_studio_csv_agrees_with_json_where_both_have_the_answer() -> None:
    columns = ("question", "item", "rater", "label", "source_ref")
    human = checked("label-studio-live/export_JSON.json").ratings.filter(rater_kind="human").select(columns)
    for name in ("export_CSV.csv", "export_TSV.tsv", "export_JSON_MIN.json"):
        lossy = checked(f"label-studio-live/{name}").ratings.select(columns)
        assert sorted(lossy.filter(lossy["question"] != "comment").rows()) == sorted(human.rows())


@pytest.mark.parametrize("name", ["argilla/to_list_flatten.json", "argilla/to_dict_flatten.json"])
def test_argilla(name: str) -> None:
    result = raw(name)
    records = (
        result
        if isinstance(result, list)
        else [dict(zip(result, row, strict=True)) for row in zip(*result.values(), strict=True)]
    )
    pairs = [
        (record["id"], user, status)
        for record in records
        for question in ("label", "topics", "rating")
        for user, status in zip(
            record.get(f"{question}.responses.users") or [],
            record.get(f"{question}.responses.status") or [],
            strict=True,
        )
    ]
    suggestions = [record[key] for record in records for key in record if key.endswith(".suggestion")]
    counts = checked(name)
    assert counts.ratings.filter(rater_kind="human").height == sum(status == "submitted" for *_, status in pairs)
    assert counts.ratings.filter(rater_kind="system").height == sum(
        suggestion is not None for suggestion in suggestions
    )
    assert counts.n_skipped == len({pair for pair in pairs if pair[2] != "submitted"})
    assert counts.rejects.is_empty()


@pytest.mark.parametrize("name", DOCCANO)
def test_doccano(name: str) -> None:
    path = SAMPLES / name
    if path.stem == "all":
        with pytest.raises(ReadError, match="its rows do not say who labelled"):
            read_export(path)
        return
    if path.suffix == ".csv":
        with path.open(encoding="utf-8", newline="") as file:
            assert any("#" in row["label"] for row in csv.DictReader(file))
        with pytest.raises(ReadError, match="it may be one label or more"):
            read_export(path)
        return
    lines = path.read_text(encoding="utf-8")
    records = [json.loads(line) for line in lines.splitlines()] if path.suffix == ".jsonl" else json.loads(lines)
    counts = checked(name)
    assert counts.ratings.height == sum(bool(record["label"]) for record in records)
    assert counts.n_skipped == sum(not record["label"] for record in records)
    assert counts.rejects.is_empty()
    assert set(counts.ratings["rater"]) == {path.stem}
    labels = [json.loads(label) if label.startswith("[") else [label] for label in counts.ratings["label"]]
    assert labels == [sorted(record["label"]) for record in records if record["label"]]

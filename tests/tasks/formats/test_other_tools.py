"""SageMaker, Labelbox, Inspect AI and the lm-evaluation-harness."""

import json
from pathlib import Path
from typing import Any

import pytest

from tasks.errors import ReadError
from tasks.formats import FORMATS, ReadOptions
from tasks.ingest.read_export import read_export
from tasks.ingest.validate import validate

EXPORTS = Path(__file__).parents[2] / "data" / "exports"
LOG, SAMPLES = EXPORTS / "inspect_ai" / "log.json", EXPORTS / "lm_eval" / "samples_sums.jsonl"


# SageMaker


def test_sagemaker_answers_in_text_and_as_objects() -> None:
    rows = read_export(EXPORTS / "sagemaker" / "responses.json").rows
    assert rows.select("item", "rater", "question", "label").rows() == [
        ("0", "w1", "tone", "good"), ("0", "w2", "tone", "bad"), ("1", "w1", "tone", "good"),
    ]  # fmt: skip
    first = validate(read_export(EXPORTS / "sagemaker" / "worker_response.jsonl")).ratings.row(0, named=True)
    assert (first["item"], first["label"], first["duration_s"]) == ("s3://example/1.txt", "sports", 12.5)
    assert first["rated_at"].isoformat() == "2026-02-01T10:00:12.500000+00:00"


def test_sagemaker_takes_the_item_from_the_folder_where_the_file_does_not_name_it(tmp_path: Path) -> None:
    answer = {"answerContent": {"category": {"label": "a"}}, "workerId": "w", "submissionTime": "2026-01-01T00:00:00Z"}
    path = tmp_path / "iteration-1" / "17" / "2026-01-01_00_00_00.json"
    path.parent.mkdir(parents=True)
    path.write_text(json.dumps({"answers": [answer]}), encoding="utf-8")
    assert read_export(path).rows["item"].to_list() == ["17"]
    other = tmp_path / "answers.json"
    other.write_text(json.dumps({"answers": [answer]}), encoding="utf-8")
    assert validate(read_export(other)).rejects["reason"].to_list() == ["missing_item"]


def test_sagemaker_manifest_of_labels_names_nobody(tmp_path: Path) -> None:
    path = tmp_path / "output.manifest"
    line = {
        "source-ref": "s3://x/1",
        "sport": 0,
        "sport-metadata": {"class-name": "football", "human-annotated": "yes"},
    }
    path.write_text((json.dumps(line) + "\n") * 2, encoding="utf-8")
    with pytest.raises(ReadError, match="no answers of workers") as caught:
        FORMATS["sagemaker"].read(path)
    assert "worker-response" in caught.value.hint
    with pytest.raises(ReadError, match="not name the workers"):
        read_export(path)


# Labelbox


def test_labelbox_nested_answers_sets_and_systems() -> None:
    export = read_export(EXPORTS / "labelbox" / "export.ndjson", ReadOptions(columns={"item": "global_key"}))
    rows = validate(export).ratings
    assert rows.filter(source_ref="label:l1").select("question", "item", "rater", "label").rows() == [
        ("tone", "doc-1", "ann@example.org", "bad"),
        ("tone / why", "doc-1", "ann@example.org", "rude"),
        ("topics", "doc-1", "ann@example.org", '["price", "service"]'),
    ]
    assert rows.filter(rater_kind="system").select("item", "rater", "label").rows() == [("doc-4", "model-a", "good")]
    assert export.n_skipped == 2


# Inspect AI and lm-eval: systems only, and no gold unless asked


@pytest.mark.parametrize("path", [LOG, SAMPLES], ids=lambda path: path.parent.name)
def test_targets_are_gold_only_if_asked(path: Path) -> None:
    assert set(validate(read_export(path)).ratings["rater_kind"]) == {"system"}
    rows = validate(read_export(path, ReadOptions(gold=frozenset({"target"})))).ratings
    gold = rows.filter(rater_kind="gold")
    assert set(gold["rater"]) == {"target"}
    assert gold.height >= 3


def test_inspect_reads_an_eval_archive_as_its_json() -> None:
    packed, plain = read_export(EXPORTS / "inspect_ai" / "run.eval"), read_export(LOG)
    assert packed.rows.rows() == plain.rows.rows()
    assert packed.rejects.rows() == plain.rejects.rows()


def test_inspect_answers_by_task_and_scorer() -> None:
    rows = validate(read_export(LOG)).ratings
    assert rows.select("question", "item", "rater", "label").rows()[0] == ("quiz", "1", "acme/model-1", "A")
    assert rows["rated_at"][0].isoformat() == "2026-04-01T08:00:00+00:00"
    two = read_export(EXPORTS / "inspect_ai" / "two_scorers.json").rows
    assert set(two.select("question", "label").rows()) == {("quiz/match", "yes"), ("quiz/judge", "0.5")}


def inspect_log(tmp_path: Path, *scores: dict[str, Any], scorer: str = "grader") -> Path:
    samples = [
        {"id": n, "epoch": 1, "target": "Paris", "scores": {scorer: score}, "metadata": {"doc": f"d{n}"}}
        for n, score in enumerate(scores, start=1)
    ]
    path = tmp_path / "log.json"
    run = {"task": "capital", "model": "acme/model-1"}
    path.write_text(json.dumps({"eval": run, "samples": samples}, indent=1), encoding="utf-8")
    return path


WHOLE = {"value": "C", "answer": "The capital of France is Paris.\nIt lies on the Seine.", "explanation": "GRADE: C"}


@pytest.mark.field_trial(17)
@pytest.mark.parametrize("scorer", ["grader", "inspect_evals/model_graded_qa"])
def test_the_label_of_a_model_graded_scorer_is_the_verdict(tmp_path: Path, scorer: str) -> None:
    second = WHOLE | {"value": "I"} | ({"answer": "Lyon"} if scorer != "grader" else {})
    export = read_export(inspect_log(tmp_path, WHOLE, second, scorer=scorer))
    assert validate(export).ratings["label"].to_list() == ["C", "I"]
    assert any("verdict (`value`)" in warning and repr(scorer) in warning for warning in export.warnings)


@pytest.mark.field_trial(17)
def test_verdict_and_answer_of_inspect_are_mapped(tmp_path: Path) -> None:
    def labels(path: Path, label: str) -> list[str]:
        return read_export(path, ReadOptions(columns={"label": label})).rows["label"].to_list()

    assert labels(LOG, "value") == ["C", "I", "C", "I"]
    assert labels(LOG, "answer") == ["A", "B", "A"]
    path = inspect_log(tmp_path, WHOLE)
    assert labels(path, "answer") == [WHOLE["answer"]]
    assert read_export(path, ReadOptions(columns={"item": "doc"})).rows["item"].to_list() == ["d1"]


@pytest.mark.field_trial(17)
@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"label": "verdict"}, "the `answer` or the `value` of a score, not 'verdict'"),
        ({"rater": "judge"}, "each `epoch` or each `scorer`, not 'judge'"),
        ({"score": "value"}, "nothing can be mapped to score"),
        ({"item": "nothing"}, "has a field 'nothing'; there are 'id', 'subject'"),
    ],
)
def test_a_mapping_that_a_log_of_inspect_cannot_follow_is_refused(columns: dict[str, str], message: str) -> None:
    with pytest.raises(ReadError, match=message) as caught:
        read_export(LOG, ReadOptions(columns=columns))
    assert "item=FIELD" in caught.value.hint


@pytest.mark.field_trial(17)
def test_the_target_is_no_gold_for_a_verdict(tmp_path: Path) -> None:
    export = read_export(inspect_log(tmp_path, WHOLE), ReadOptions(gold=frozenset({"target"})))
    assert set(export.rows["rater"]) == {"acme/model-1"}
    assert "Targets not read as gold, because the label is a verdict and a target is an answer: 1." in export.warnings


@pytest.mark.field_trial(17)
def test_readers_say_which_mapped_columns_they_do_not_use() -> None:
    export = read_export(SAMPLES, ReadOptions(format="lm_eval", columns={"item": "doc"}))
    assert "Columns mapped to item do not concern files of the format lm_eval." in export.warnings


def test_inspect_without_samples_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "log.json"
    path.write_text(json.dumps({"eval": {"task": "t"}, "samples": []}, indent=1), encoding="utf-8")
    with pytest.raises(ReadError, match="not a log of Inspect AI with samples"):
        read_export(path)


def test_lm_eval_names_the_model_by_the_systems_or_by_the_harness_folder(tmp_path: Path) -> None:
    assert set(read_export(SAMPLES, ReadOptions(systems=frozenset({"pythia"}))).rows["rater"]) == {"pythia"}
    folder = tmp_path / "acme__model-1"
    folder.mkdir()
    (folder / SAMPLES.name).write_bytes(SAMPLES.read_bytes())
    assert set(read_export(folder / SAMPLES.name).rows["rater"]) == {"acme/model-1"}
    assert read_export(SAMPLES).warnings[0].startswith("The file does not name the model")


def test_lm_eval_takes_the_likeliest_option_and_the_first_text() -> None:
    choice = read_export(EXPORTS / "lm_eval" / "samples_quiz_2026-03-01T10-00-00.123456.jsonl")
    assert choice.rows.select("item", "label").rows() == [("0", "1"), ("1", "0")]
    assert read_export(SAMPLES).rows["label"].to_list() == ["72", "72.", "[invalid]", "10"]

"""LLM-evaluation tools: people, judges, code and gold are told apart, and nothing is dropped in silence."""

import json
from pathlib import Path

import pytest

from tasks.errors import UnknownFormatError
from tasks.formats import ReadOptions
from tasks.ingest.read_export import read_export

EXPORTS = Path(__file__).parents[3] / "data" / "exports"


def kinds(name: str) -> dict[str, str]:
    return dict(read_export(EXPORTS / name).rows.select("rater", "rater_kind").unique().rows())


def test_assertions_of_one_type_on_an_output_are_several_raters() -> None:
    rows = read_export(EXPORTS / "promptfoo" / "results.json").rows
    first = rows.filter(rows["item"] == "eval-1|0|0").select("question", "rater", "label").rows()
    assert first == [
        ("results", "judge:llm-rubric", "pass"),
        ("results", "judge:llm-rubric 2", "fail"),
        ("mentions", "code:contains", "pass"),
    ]
    assert kinds("promptfoo/results.json")["human"] == "human"


def test_outputs_of_two_evaluations_are_different_items() -> None:
    result, other = (read_export(EXPORTS / "promptfoo" / name).rows for name in ("results.json", "lines.jsonl"))
    assert not set(result["item"]) & set(other["item"])


def test_an_expectation_is_gold_and_replaced_feedback_is_skipped() -> None:
    export = read_export(EXPORTS / "mlflow" / "traces.json")
    assert kinds("mlflow/traces.json")["expectation:lead@example.org"] == "gold"
    ann = export.rows.filter(export.rows["rater"] == "ann@example.org")
    assert ann.select("item", "label").rows() == [("tr-1", "kind")]
    assert export.n_skipped == 2


def test_each_author_of_a_score_is_a_rater() -> None:
    rows = read_export(EXPORTS / "opik" / "traces.jsonl").rows
    assert rows.filter(rows["item"] == "t2").select("rater", "label").rows() == [
        ("ann@example.org", "No"),
        ("ben@example.org", "Yes"),
    ]


def test_the_item_of_feedback_is_the_call() -> None:
    rows = read_export(EXPORTS / "weave" / "feedback.json").rows
    assert rows.select("question", "item", "rater", "label").rows() == [
        ("tone", "c1", "ann", "kind"),
        ("topics", "c1", "ben", '["a", "b"]'),
    ]


def test_the_model_of_a_helm_run_is_named_by_the_folder_or_the_user(tmp_path: Path) -> None:
    stats = (EXPORTS / "helm" / "per_instance_stats.json").read_bytes()
    folder = tmp_path / "quiz:subject=sums,model=acme_small"
    folder.mkdir()
    (folder / "per_instance_stats.json").write_bytes(stats)
    assert set(read_export(folder / "per_instance_stats.json").rows["rater"]) == {"acme_small"}
    options = ReadOptions(systems=frozenset({"other"}))
    assert set(read_export(folder / "per_instance_stats.json", options).rows["rater"]) == {"other"}


def test_measures_are_no_verdicts() -> None:
    export = read_export(EXPORTS / "helm" / "per_instance_stats.json")
    assert set(export.rows["question"]) == {"exact_match"}
    assert set(export.rows["item"]) == {"id1", "id1|typos", "id2|1"}
    assert export.n_skipped == 2


def test_a_manifest_of_consolidated_labels_is_refused_with_the_folder_to_take(tmp_path: Path) -> None:
    path = tmp_path / "output.manifest"
    path.write_text(
        '{"source-ref": "s3://b/1.jpg", "tone": 0, "tone-metadata": {"class-name": "kind", "confidence": 0.9}}\n',
        encoding="utf-8",
    )
    with pytest.raises(UnknownFormatError, match="output manifest of SageMaker Ground Truth") as caught:
        read_export(path)
    assert "annotations/worker-response" in caught.value.hint


def test_test_cases_of_one_name_are_different_items(tmp_path: Path) -> None:
    metric = {"name": "Relevancy", "success": True, "evaluationModel": "small"}
    cases = [{"name": name, "metricsData": [metric]} for name in ("test_chat", "test_chat", "test_math")]
    path = tmp_path / "run.json"
    path.write_text(json.dumps({"testFile": "test_chat.py", "testCases": cases}))
    export = read_export(path)
    assert export.rows["item"].to_list() == ["test_chat|1", "test_chat|2", "test_math"]
    assert any("have the same name" in warning for warning in export.warnings)


def test_a_serialized_expectation_of_mlflow_is_gold(tmp_path: Path) -> None:
    path = tmp_path / "traces.json"
    value = {"serialized_value": {"value": '["a", "b"]', "serialization_format": "JSON_FORMAT"}}
    source = {"source_type": "HUMAN", "source_id": "ann"}
    assessment = {"assessment_name": "facts", "source": source, "expectation": value}
    path.write_text(json.dumps([{"info": {"trace_id": "t", "assessments": [assessment]}}]))
    assert read_export(path).rows.select("rater_kind", "label").rows() == [("gold", '["a", "b"]')]


def test_an_answer_of_a_model_is_an_item_of_mt_bench_and_its_judge_has_one_name() -> None:
    export = read_export(EXPORTS / "mt_bench" / "single.jsonl")
    assert export.rows.select("item", "rater", "label").rows() == [
        ("81|x-7b|1", "judge-1", "8"),
        ("81|y|1", "judge-1", "7"),
        ("82|x-7b|1", "judge-1", "9.5"),
        ("82|y|1", "judge-1", None),
    ]
    assert "Answers of a judge without a score (-1), counted as skipped: 1." in export.warnings

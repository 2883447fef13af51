"""`kappaflow agree`, `inspect` and `accuracy` on spans."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tasks.single_file import agree_regions
from tasks.single_file.agree_file import AgreementDetail, agree
from tasks.single_file.load_file import FileOptions

SPAN = json.dumps(
    [
        {
            "id": 1,
            "data": {"text": "Anna"},
            "annotations": [
                {
                    "completed_by": rater,
                    "result": [
                        {"from_name": "ner", "type": "labels", "value": {"start": 0, "end": 4, "labels": ["PER"]}}
                    ],
                }
                for rater in (1, 2)
            ],
        }
    ]
)


@pytest.fixture
def export(tmp_path: Path) -> Path:
    """Write two tasks of two annotators, with spans and a choice in the second control."""
    tasks = []
    for task in (1, 2, 3):
        annotations = [
            {"completed_by": rater, "result": [{
                "from_name": "ner", "type": "labels",
                "value": {"start": 0, "end": 4 + (task + rater) % 2, "labels": ["PER\x1b[31m"]},
            }]}
            for rater in (1, 2)
        ]  # fmt: skip
        tasks.append({"id": task, "data": {"text": "Anna lives in Berlin, or did."}, "annotations": annotations})
    file = tmp_path / "spans.json"
    file.write_text(json.dumps(tasks))
    return file


def test_the_promised_shape_and_the_tables(export: Path, kappaflow: Any, kappaflow_json: Any) -> None:
    result = kappaflow_json("agree", export, "--by", "pair")
    estimates = {row["name"]: row["estimate"] for row in result["coefficients"]}
    alphas = {"character_alpha": 0.8692366, "unitised_alpha": 0.9690898}
    assert estimates == pytest.approx({"f1_exact": 0.0, "f1_partial": 1.0} | alphas, abs=1e-6)
    assert [(row["rater_a"], row["rater_b"]) for row in result["by_pair"]] == [("1", "2")] * 4
    assert [row["estimate"] for row in result["by_pair"]] == list(estimates.values())
    assert (result["n_regions"], result["n_items"], result["n_raters"]) == (6, 3, 2)
    assert kappaflow_json("inspect", export)["n_regions"] == 6
    text = kappaflow("agree", export, "--by", "label").stdout
    assert "f1_partial" in text
    assert "By label" in text
    assert "\x1b" not in text


def test_spans_beside_choices_are_asked_for_by_name(export: Path, kappaflow: Any, kappaflow_json: Any) -> None:
    tasks = json.loads(export.read_text())
    for task in tasks:
        for annotation in task["annotations"]:
            value = {"choices": ["kind"]}
            annotation["result"].append({"from_name": "tone", "type": "choices", "to_name": "t", "value": value})
    export.write_text(json.dumps(tasks))
    labels = kappaflow_json("agree", export)
    assert labels["question"] == "tone"
    where = "Marked for ner: 6 spans. `kappaflow agree FILE --question ner` compares them between raters."
    assert where in labels["warnings"]
    assert not any("rejected" in note for note in labels["warnings"])
    assert f"{where} Projects do, too." in kappaflow_json("inspect", export)["warnings"]
    assert "It has: tone, ner." in kappaflow("agree", export, "--question", "spans", code=2).stderr
    assert kappaflow_json("agree", export, "--question", "ner")["n_regions"] == 6
    for task in tasks:
        task["annotations"][1]["result"].pop()  # the second annotator marked spans only
    export.write_text(json.dumps(tasks))
    assert where in kappaflow("agree", export, code=2).stderr.replace("\n", " ")


def test_what_is_not_offered_is_said_in_two_lines(export: Path, kappaflow: Any) -> None:
    for arguments, what in (
        (("accuracy", export, "--system", "1"), "accuracy is not offered for spans"),
        (("agree", export, "--question", "tone"), "has no question 'tone'"),
        (("agree", export, "--by", "item"), "--by item is not offered for spans and boxes"),
        (("agree", export, "--scale", "ordinal"), "--scale cannot be used with spans"),
        (("agree", export, "--coefficients", "kappa"), "no coefficient 'kappa'"),
    ):
        result = kappaflow(*arguments, code=2)
        text = result.stderr.strip().splitlines()
        assert len(text) == 2
        assert what in text[0]
        assert result.stdout == ""


def test_inspect_shows_what_is_in_a_file_of_preferences(tmp_path: Path, kappaflow: Any, kappaflow_json: Any) -> None:
    file = tmp_path / "battles.csv"
    file.write_text("question_id,model_a,model_b,winner,judge\n1,x,y,model_a,ann\n1,y,x,tie,ben\n2,x,y,maybe,ann\n")
    result = kappaflow_json("inspect", file)
    assert (result["n_ratings"], result["n_comparisons"], result["n_rejected"]) == (2, 1, 1)
    assert "kappaflow prefer" in kappaflow("inspect", file).stdout


def test_labels_of_spans_are_ratings(export: Path, kappaflow: Any, kappaflow_json: Any) -> None:
    result = kappaflow_json("agree", export, "--regions", "labels")
    assert (result["n_ratings"], result["n_items"]) == (6, 3)
    assert "krippendorff_alpha" in {row["name"] for row in result["coefficients"]}
    refused = kappaflow("agree", export, "--regions", "words", code=2)
    assert refused.stdout == ""
    assert refused.stderr.splitlines()[-2:] == ["--regions 'words' is unknown.", "Use places or labels."]


def test_of_many_texts_one_alpha_is_computed_unasked(export: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(agree_regions, "MAX_UNASKED", 2)
    by = AgreementDetail(by=("pair", "label"))
    (result,) = agree(export, FileOptions(), by)
    assert [row["name"] for row in result["coefficients"]] == ["f1_exact", "f1_partial", "character_alpha"]  # type: ignore[attr-defined]
    assert {row["coefficient"] for row in result["by_pair"]} == {"f1_exact", "f1_partial"}  # type: ignore[attr-defined]
    assert "only character_alpha" in str(result["warnings"])
    (answer,) = agree(export, FileOptions(), replace(by, coefficients=("unitised_alpha", "character_alpha")))
    assert len(answer["by_pair"]) == 2  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("name", "content", "options", "words"),
    [
        ("one.json", SPAN, (), "ner: 2 spans, 1 item, 2 raters, 1 label"),
        ("one.csv", "item,rater,label\n1,ann,A > B\n1,ben,B > A\n", ("--answers", "ranking"), "2 rankings, 1 item, 2"),
    ],
)
def test_one_is_not_a_plural(
    tmp_path: Path, kappaflow: Any, name: str, content: str, options: tuple[str, ...], words: str
) -> None:
    (tmp_path / name).write_text(content)
    assert words in kappaflow("agree", tmp_path / name, *options).stdout


def test_one_rating_is_inspected(tmp_path: Path, kappaflow: Any) -> None:
    (tmp_path / "one.csv").write_text("item,rater,label\n1,ann,yes\n")
    assert "long: 1 rating, 0 skipped, 0 rejected" in kappaflow("inspect", tmp_path / "one.csv").stdout

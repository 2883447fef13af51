"""Rankings and texts in a file: read where a tool or the user says so, never guessed, nothing lost in silence."""

import json
from pathlib import Path
from typing import Any

import pytest
import typer

from flows.cli import app
from tasks.errors import InputError
from tasks.formats import ReadOptions
from tasks.formats.answers.read_answers import ANSWER_FORMATS
from tasks.single_file.agree_file import AgreementDetail, agree
from tasks.single_file.load_file import FileOptions

ANNOTATORS = (1, 2)


def studio(path: Path, *tasks: tuple[dict[str, Any], ...]) -> Path:
    """Write Label Studio's JSON: for each task the result of each annotator."""
    written = [
        {"id": number, "data": {"text": "x"}, "annotations": [
            {"completed_by": rater, "result": [result]} for rater, result in zip(ANNOTATORS, results, strict=False)
        ]}
        for number, results in enumerate(tasks, start=1)
    ]  # fmt: skip
    path.write_text(json.dumps(written))
    return path


def ranked(*options: str, **buckets: list[str]) -> dict[str, Any]:
    return {
        "from_name": "rank",
        "to_name": "l",
        "type": "ranker",
        "value": {"ranker": {"rank": list(options), **buckets}},
    }


def written(*lines: str, **place: int) -> dict[str, Any]:
    return {"from_name": "said", "to_name": "a", "type": "textarea", "value": {"text": list(lines), **place}}


CHOICE = {"from_name": "tone", "to_name": "a", "type": "choices", "value": {"choices": ["good"]}}


def figures(result: dict[str, Any]) -> dict[str, Any]:
    return {row["name"]: row["estimate"] for row in result["coefficients"]}


def test_rankings_of_label_studio(tmp_path: Path) -> None:
    path = studio(
        tmp_path / "r.json",
        (ranked("a", "b", "c"), ranked("a", "b", "c")),
        (ranked("a", "b", "c"), ranked("c", "b", "a")),
        (ranked("a", "b"), ranked("a", "c")),
        (ranked("a", good=["b"]), ranked("a", "a")),
    )
    (result,) = agree(path, FileOptions(), AgreementDetail(by=("pair",)))
    assert (result["question"], result["answers"], result["labels"]) == ("rank", "rankings", ["a", "b", "c"])
    assert figures(result) == {"kendall_w": 0.5, "spearman": 0.0, "kendall_tau": 0.0}
    assert [(row["rater_a"], row["rater_b"], row["n_items"]) for row in result["by_pair"]] == [("1", "2", 2)] * 2
    assert result["warnings"][:-1] == [
        "1 answer was rejected: bad_record.",
        "1 answer was rejected: unsupported_control.",
        "Items left out because their raters put different options in order: 1.",
    ]
    assert result["warnings"][-1].startswith("The intervals rest on 2 items (fewer than 20) and are too narrow")


def test_texts_of_label_studio_beside_labels_come_by_name(tmp_path: Path) -> None:
    pairs = ((written("a cat"), written("a cat")), (written("one", "two"), written("one\ntoo")))
    path = studio(tmp_path / "t.json", *pairs, (CHOICE, CHOICE))
    (labels,) = agree(path, FileOptions())
    assert labels["question"] == "tone"
    assert any("unsupported" in text or "said" in text for text in labels["warnings"])
    (result,) = agree(path, FileOptions(question="said"))
    assert result["answers"] == "texts"
    assert figures(result) == {
        "text_similarity": pytest.approx((1 + 6 / 7) / 2), "word_similarity": 0.75, "exact_match": 0.5,
    }  # fmt: skip


def test_a_text_of_a_part_of_an_item_is_rejected(tmp_path: Path) -> None:
    path = studio(tmp_path / "t.json", (written("a"), written("a")), (written("b", start=0, end=3), written("b")))
    (result,) = agree(path, FileOptions())
    assert (result["n_items"], result["warnings"]) == (2, ["1 answer was rejected: per_region."])


def test_rankings_of_argilla(tmp_path: Path) -> None:
    def ranking(*options: str) -> list[dict[str, Any]]:
        return [{"value": option, "rank": place} for place, option in enumerate(options, start=1)]

    record = {
        "id": "7", "order.responses": [ranking("x", "y"), ranking("y", "x"), ranking("x", "y")],
        "order.responses.users": ["ann", "ben", "cem"], "order.responses.status": ["submitted", "submitted", "draft"],
        "order.suggestion": ranking("x", "y"), "order.suggestion.agent": "gpt",
    }  # fmt: skip
    path = tmp_path / "a.json"
    path.write_text(json.dumps([record]))
    (result,) = agree(path, FileOptions())
    assert (result["n_raters"], figures(result)["kendall_w"]) == (2, 0.0)
    assert result["warnings"] == [
        "Rankings that were discarded or are drafts: 1.",
        "Left out, because they are systems: 1.",
    ]


def argilla_lists(path: Path, *records: tuple[list[str], ...]) -> Path:
    """Write Argilla's records as its client does: a ranking is the list of its options, the first one best."""
    written = [
        {"id": str(number), "order.responses": list(answers), "order.responses.users": ["ann", "ben"],
         "order.responses.status": ["submitted", "submitted"]}
        for number, answers in enumerate(records, start=1)
    ]  # fmt: skip
    path.write_text(json.dumps(written))
    return path


def test_lists_of_argilla_that_differ_in_their_order_alone_are_rankings(tmp_path: Path) -> None:
    same, opposite = (["x", "y", "z"], ["x", "y", "z"]), (["x", "y", "z"], ["z", "y", "x"])
    (result,) = agree(argilla_lists(tmp_path / "a.json", same, opposite, opposite), FileOptions())
    assert (result["answers"], result["labels"]) == ("rankings", ["x", "y", "z"])
    assert figures(result) == {
        "kendall_w": pytest.approx(1 / 3), "spearman": pytest.approx(-1 / 3), "kendall_tau": pytest.approx(-1 / 3),
    }  # fmt: skip


def test_a_small_file_beside_one_that_shows_rankings_holds_rankings_too(tmp_path: Path) -> None:
    order, other = ["x", "y", "z"], ["z", "y", "x"]
    large = argilla_lists(tmp_path / "large.json", (order, order), (order, other), (order, other))
    small = argilla_lists(tmp_path / "small.json", (order, order))
    small.write_text(small.read_text().replace('"id": "1"', '"id": "9"'))
    for question in (None, "order"):
        (result,) = agree([large, small], FileOptions(question=question))
        assert (result["answers"], result["n_items"]) == ("rankings", 4)
        assert figures(result)["kendall_w"] == 0.5


def test_few_or_other_lists_of_argilla_are_sets_of_labels_unless_the_user_says_otherwise(tmp_path: Path) -> None:
    few = argilla_lists(tmp_path / "few.json", (["x", "y"], ["y", "x"]), (["x", "y"], ["x", "y"]))
    (labels,) = agree(few, FileOptions())
    assert labels["labels"] == ['["x", "y"]']
    for question in (None, "order"):
        (result,) = agree(few, FileOptions(question=question), AgreementDetail(answers="ranking"))
        assert figures(result) == {"kendall_w": 0.5, "spearman": 0.0, "kendall_tau": 0.0}
    sets = argilla_lists(tmp_path / "sets.json", *[(["x", "y"], ["y", "x"])] * 3, (["x"], ["y", "x"]))
    (labels,) = agree(sets, FileOptions())
    assert labels["labels"] == ['["x", "y"]', "x"]


@pytest.fixture
def sheet(tmp_path: Path) -> Path:
    path = tmp_path / "s.csv"
    path.write_text(
        "item,rater,label\n1,ann,a > b = c\n1,ben,a>b=c\n2,ann,a > b\n2,ben,b > a\n3,ann,no order\n3,ben,a > b\n"
    )
    return path


def test_a_table_holds_labels_unless_the_user_says_otherwise(sheet: Path) -> None:
    (labels,) = agree(sheet, FileOptions())
    assert "answers" not in labels
    (result,) = agree(sheet, FileOptions(), AgreementDetail(answers="ranking"))
    assert figures(result)["kendall_w"] == 0.5
    assert any("no rankings such as A > B = C: 1;" in text and "'no order'" in text for text in result["warnings"])
    (texts,) = agree(sheet, FileOptions(), AgreementDetail(answers="text"))
    assert (texts["answers"], figures(texts)["exact_match"]) == ("texts", 0.0)
    assert texts["columns"]["taken"]["label"] == ["label"]


@pytest.mark.parametrize(
    ("detail", "options", "message"),
    [
        (AgreementDetail(answers="rank"), FileOptions(), "--answers 'rank' is unknown"),
        (AgreementDetail(answers="text", by=("label",)), FileOptions(), "--by label is not offered"),
        (AgreementDetail(answers="text"), FileOptions(weights="linear"), "--weights cannot be used with"),
        (AgreementDetail(answers="text", coefficients=("kappa",)), FileOptions(), "no coefficient 'kappa'"),
        (AgreementDetail(answers="text"), FileOptions(reading=ReadOptions(systems=frozenset(["gpt"]))), "gpt"),
    ],
)
def test_what_has_no_use_is_said(sheet: Path, detail: AgreementDetail, options: FileOptions, message: str) -> None:
    with pytest.raises(InputError, match=message):
        agree(sheet, options, detail)


def test_the_kind_that_a_tool_says_is_not_overruled(tmp_path: Path) -> None:
    path = studio(tmp_path / "r.json", (ranked("a", "b"), ranked("a", "b")))
    with pytest.raises(InputError, match="rank has answers of the kind ranking"):
        agree(path, FileOptions(), AgreementDetail(answers="text"))


def test_the_help_names_the_tools_whose_answers_are_detected() -> None:
    command: Any = typer.main.get_command(app)
    (option,) = (param for param in command.commands["agree"].params if "--answers" in param.opts)
    for name in ANSWER_FORMATS:
        assert name.replace("_", " ") in option.help.lower()

"""The heading of `kappaflow accuracy`, and what it says of the gold behind the correlation of errors."""

import random
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import EXAMPLES

RIGHT = ["yes", "no"] * 20
OTHER = {"yes": "no", "no": "yes"}


def answers(name: str, n: int, wrong: int = 9) -> list[str]:
    return [f"i{i},{name},{OTHER[right] if i % wrong == 0 else right}" for i, right in enumerate(RIGHT[:n])]


def written(path: Path, header: str, rows: list[str]) -> Path:
    path.write_text("\n".join([header, *rows]) + "\n")
    return path


def gold_file(folder: Path, n: int = 12, probability: str = "") -> Path:
    header = "item,label,inclusion_probability" if probability else "item,label"
    return written(
        folder / "gold.csv", header, [f"i{i},{right}{probability}" for i, right in enumerate(RIGHT[-n:], 40 - n)]
    )


def text_of(kappaflow: Any, *arguments: Any) -> str:
    return " ".join(kappaflow("accuracy", *arguments).stdout.split())


def test_without_human_ratings_it_says_what_the_systems_answered(tmp_path: Path, kappaflow: Any) -> None:
    rows = [*answers("gpt", 40), *answers("rules", 29, wrong=4)]
    file, gold = written(tmp_path / "tone.csv", "item,rater,label", rows), gold_file(tmp_path)
    text = text_of(kappaflow, file, "--system", "gpt", "--system", "rules", "--gold", gold)
    assert text.startswith(
        "tone: no human ratings. gpt answered 40 items, 12 of them gold; rules answered 29 items, 1 of them gold "
    )
    assert " 0 items" not in text.split("Accuracy of the systems")[0]


def test_of_many_systems_it_names_three(tmp_path: Path, kappaflow: Any) -> None:
    rows = [row for name in "abcde" for row in answers(name, 40)]
    file, gold = written(tmp_path / "tone.csv", "item,rater,label", rows), gold_file(tmp_path)
    text = text_of(kappaflow, file, *(word for name in "abcde" for word in ("--system", name)), "--gold", gold)
    heading, _, _ = text.partition("Accuracy of the systems")
    assert "c answered 40 items, 12 of them gold; 2 more systems" in heading
    assert "d answered" not in heading


def test_with_human_ratings_it_counts_their_items(tmp_path: Path, kappaflow: Any) -> None:
    rows = [row for name in ("gpt", "ann", "bob") for row in answers(name, 40, wrong=5 + len(name))]
    file = written(tmp_path / "tone.csv", "item,rater,label", rows)
    assert text_of(kappaflow, file, "--system", "gpt").startswith("tone: 40 items, kappa 1.000 (chance 1/2)")


@pytest.mark.parametrize(
    ("people", "words"),
    [(("ann",), "no kappa (one person rated them), the annotators' accuracy 0."),
     (("ann", "bob"), "no kappa (no item has two human ratings), the annotators' accuracy 0.")],
)  # fmt: skip
def test_without_a_pair_of_people_it_says_why_there_is_no_kappa(
    tmp_path: Path, kappaflow: Any, people: tuple[str, ...], words: str
) -> None:
    rows = [*answers("gpt", 40), *(row for i, name in enumerate(people) for row in answers(name, 40)[i :: len(people)])]
    file, gold = written(tmp_path / "tone.csv", "item,rater,label", rows), gold_file(tmp_path)
    text = text_of(kappaflow, file, "--system", "gpt", "--gold", gold)
    assert text.startswith(f"tone: 40 items, {words}")


@pytest.mark.parametrize(
    ("probability", "origin", "words"),
    [("", "unknown", "audited with gold, if it is a random sample. 2.0"),
     (",0.3", "drawn", "audited with gold of known probabilities. 2.0")],
)  # fmt: skip
def test_the_correlation_of_errors_says_where_the_gold_comes_from(
    tmp_path: Path, kappaflow: Any, kappaflow_json: Any, probability: str, origin: str, words: str
) -> None:
    rows = [row for name, wrong in (("gpt", 9), ("ann", 3), ("bob", 4)) for row in answers(name, 40, wrong)]
    file, gold = written(tmp_path / "tone.csv", "item,rater,label", rows), gold_file(tmp_path, 30, probability)
    assert kappaflow_json("accuracy", file, "--system", "gpt", "--gold", gold)["shared_errors"]["gold_origin"] == origin
    assert words in text_of(kappaflow, file, "--system", "gpt", "--gold", gold)


def test_it_says_on_how_many_items_gold_raters_differ(tmp_path: Path, kappaflow: Any) -> None:
    rows = [f"{row},{kind}" for name, kind in (("gpt", "system"), ("ann", "human"), ("ben", "human"), ("lead", "gold"))
            for row in answers(name, 40)]  # fmt: skip
    rows += [f"i{i},boss,{OTHER[right]},gold" for i, right in enumerate(RIGHT[1:3], 1)]
    file = written(tmp_path / "tone.csv", "item,rater,label,rater_kind", rows)
    assert "On 2 items the gold raters differ: none of this gold is used." in text_of(kappaflow, file)


def test_no_comparison_is_certain(tmp_path: Path, kappaflow: Any, kappaflow_json: Any) -> None:
    rng = random.Random(1)
    errors = {"a": 0.2, "b": 0.2, "c": 0.2, "good": 0.01, "bad": 0.5}
    rows = [
        f"i{i},{name},{OTHER[right] if rng.random() < error else right}"
        for i, right in enumerate(RIGHT * 10)
        for name, error in errors.items()
    ]
    file = written(tmp_path / "tone.csv", "item,rater,label", rows)
    options = [file, "--system", "good", "--system", "bad", "--labels", "yes,no"]
    result = kappaflow_json("accuracy", *options)
    assert [row["p_a_better"] for row in result["comparison"]] == [pytest.approx(0)]  # bad - good
    text = text_of(kappaflow, *options)
    assert "<0.001" in text.split("Systems compared, on the same items")[1].split("Systems compared with")[0]
    of_raters = text.split("Systems compared with the human raters")[1].split("The human raters")[0]
    assert (">0.999" in of_raters, "<0.001" in of_raters) == (True, True)
    assert " 0.000" not in of_raters


def test_notes_on_the_annotators_are_printed_once(kappaflow: Any) -> None:
    text = text_of(kappaflow, EXAMPLES / "literature/lehner_2015_table_2.csv", "--system", "system")
    assert text.count("so little is known of their accuracy, and the models tend to put it too high.") == 1
    assert "the annotators' accuracy 0.517 [0.250, 0.714]" in text


def test_an_annotator_of_nearly_one_label_is_named_by_accuracy_and_agree(tmp_path: Path, kappaflow: Any) -> None:
    """Kappa counts these ratings, the accuracy beside it does not, so that the heading says so."""
    rows = [row for name in ("gpt", "ann", "bob") for row in answers(name, 40)]
    file = written(tmp_path / "tone.csv", "item,rater,label", [*rows, *(f"i{i},lazy,yes" for i in range(40))])
    assert (
        "the annotators' accuracy without lazy 0.9" in text_of(kappaflow, file, "--system", "gpt").partition("Acc")[0]
    )
    warnings = " ".join(kappaflow("agree", file, "--system", "gpt").stdout.split())
    assert (
        "tone: Nearly always the same label, also where most others agree on another one, came from lazy." in warnings
    )
    file = written(tmp_path / "tone.csv", "item,rater,label", rows)
    assert "Nearly always" not in kappaflow("agree", file).stdout

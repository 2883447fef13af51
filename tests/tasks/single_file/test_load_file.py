"""What a single file says of its ratings."""

from pathlib import Path

import pytest

from tasks.errors import InputError
from tasks.evaluate.gold.unused_probabilities import UNUSED_PROBABILITIES
from tasks.formats import ReadOptions
from tasks.single_file.accuracy_file import estimate
from tasks.single_file.inspect_file import inspect_file
from tasks.single_file.load_file import FileOptions, load_file


def test_further_readings_that_count_as_raters_are_told(tmp_path: Path) -> None:
    file = tmp_path / "a.csv"
    file.write_text("item,rater,label\n" + "".join(f"{i},ann,a\n{i},ann,b\n{i},ben,a\n" for i in range(4)))
    for rule, is_told in (("repeats", True), ("latest", False)):
        (question,) = load_file(file, FileOptions(ReadOptions(), duplicates=rule))
        told = [text for text in question.warnings if "3 raters are 2 annotators: further readings (ann #2)" in text]
        assert bool(told) == is_told


def test_raters_without_an_answer_are_named(tmp_path: Path) -> None:
    file = tmp_path / "a.csv"
    file.write_text("item,rater,label\n" + "".join(f"{i},ann,a\n{i},ben,b\n{i},cleo,[]\n{i},dora,\n" for i in range(4)))
    (question,) = load_file(file, FileOptions(ReadOptions()))
    sentence = "All rows of these raters were rejected, and none counts: 'cleo', 'dora'."
    assert sentence in question.warnings
    assert sentence in inspect_file(file)["warnings"]  # type: ignore[operator]


def test_probabilities_of_gold_beside_ratings_are_not_used_and_that_is_said(tmp_path: Path) -> None:
    file = tmp_path / "a.csv"
    rows = "".join(f"{i},ann,a,\n{i},ben,b,\n{i},lead,a,0.5\n" for i in range(4))
    file.write_text("item,rater,label,inclusion_probability\n" + rows)
    (question,) = load_file(file, FileOptions(ReadOptions(gold=frozenset({"lead"}))))
    assert UNUSED_PROBABILITIES in question.warnings
    assert UNUSED_PROBABILITIES in inspect_file(file)["warnings"]  # type: ignore[operator]


@pytest.mark.parametrize("named", [frozenset(), frozenset({"gpt"})])
def test_a_system_that_spells_the_labels_otherwise_is_refused(tmp_path: Path, named: frozenset[str]) -> None:
    """It was put at an accuracy of 0.002, between 0.000 and 0.041."""
    file = tmp_path / "a.csv"
    answers = "".join(f"{i},ann,human,yes\n{i},ben,human,no\n{i},gpt,system,Yes\n" for i in range(4))
    file.write_text("item,rater,rater_kind,label\n" + answers)
    with pytest.raises(
        InputError, match=r"The labels of 'gpt' \('Yes'\) are not those of the other raters \(no, yes\)"
    ):
        estimate(file, FileOptions(ReadOptions(systems=named)))

"""What programs and people write in place of an answer: errors, numbers in a text, orders without separator."""

from itertools import permutations

import polars as pl
import pytest

from tasks.evaluate.labels import doubtful_labels, labels_of_question
from tasks.evaluate.written_answers import failures, same_answers


@pytest.mark.parametrize(
    ("labels", "says"),
    [
        (["ERROR", "fail", "parse_error", "pass"], "If 'ERROR', 'parse_error' stand for no answer, declare the labels"),
        (["-1", *map(str, range(1, 11))], "If '-1' stands for no answer"),
        (["-1", *map(str, range(11))], "If '-1' stands for no answer"),
        (["10", "7", "7 - good", "Score: 7/10"], "look alike and count as different: '7' and '7 - good' and 'Score"),
        (["A", "A.", "[[B]]", "B"], "look alike and count as different: 'A' and 'A.'; '[[B]]' and 'B'."),
        (list(map("".join, permutations("ABCD"))), "They look like orders of the same 4 options."),
    ],
)
def test_doubtful_labels_are_asked_about(labels: list[str], says: str) -> None:
    assert says in " ".join(doubtful_labels(labels))


@pytest.mark.parametrize(
    "labels",
    [
        ["error", "ok"],
        ["-1", "0", "1"],
        ["-1", "0", "1", "2"],
        ["-2", "-1", "1", "2", "3", "4", "5"],
        ["A1", "B1", "C1", "1a"],
        ["1-2 days", "1 to 3 days", "2 weeks"],
        ["tea", "eat", "ate"],
        ["A", "A*", "C", "C++", "C#"],
        [",", "(", ")", ":", ";"],
    ],
)
def test_other_labels_are_not(labels: list[str]) -> None:
    assert doubtful_labels(labels) == []
    assert (failures(labels), same_answers(labels)) == ([], [])


def test_a_system_that_writes_words_around_the_numbers_of_people_is_left_out() -> None:
    answers = [(rater, "human", str(n)) for rater in ("ann", "ben") for n in range(1, 6)]
    answers += [("gpt", "system", f"Score: {n}/10") for n in range(1, 6)] + [("gpt", "system", "1")]
    ratings = pl.DataFrame(answers, schema=["rater", "rater_kind", "label"], orient="row")
    assert labels_of_question(ratings, None, "nominal", "q").misspelling == ("gpt",)

"""The labels of a question and their order."""

from itertools import permutations

import polars as pl
import pytest

from tasks.errors import InputError
from tasks.evaluate.label_order import known_order
from tasks.evaluate.labels import declared_or_inferred, labels_of_question, misspelling_raters, shown_labels

LEVELS = pl.Series(["low", "medium", "high", "low"])


@pytest.mark.parametrize("weights", ["linear", "quadratic", "ordinal", "radical", "ratio", "circular", "bipolar"])
def test_weights_by_order_need_an_order(weights: str) -> None:
    """In alphabetical order, high would be next to low."""
    with pytest.raises(InputError, match="go by the order, but its labels have no declared order") as refused:
        declared_or_inferred(LEVELS, None, "nominal", "urgency", weights)
    assert "--labels low,medium,high" in str(refused.value.hint)
    assert declared_or_inferred(LEVELS, ("low", "medium", "high"), "nominal", "urgency", weights).note is None


@pytest.mark.parametrize(
    ("labels", "problem", "advice"),
    [
        (["10", "9", "n/a", "2"], "1 of its 4 labels is no number (n/a).", "--labels 2,9,10. Other labels then"),
        (["\u22121", "0", "1"], "have a sign that numbers do not have (\u22121).", "such as -1 with a hyphen"),
        (["50%", "100 %"], "have a sign that numbers do not have (100 %; 50%).", "50 without %"),
        (["low", "high"], "its labels are no numbers (high; low).", "say scale ordinal"),
    ],
)
@pytest.mark.parametrize("scale", ["interval", "ratio"])
def test_distances_need_numbers(labels: list[str], problem: str, advice: str, scale: str) -> None:
    with pytest.raises(InputError) as refused:
        declared_or_inferred(pl.Series(labels), None, scale, "q")
    assert problem in str(refused.value)
    assert advice in str(refused.value.hint)


@pytest.mark.parametrize("weights", [None, "identity", "masi", "jaccard"])
def test_other_weights_need_none(weights: str | None) -> None:
    assert declared_or_inferred(LEVELS, None, "nominal", "urgency", weights).names == ("high", "low", "medium")


def test_two_labels_and_numbers_need_none() -> None:
    assert declared_or_inferred(pl.Series(["b", "a"]), None, "nominal", "q", "linear").names == ("a", "b")
    assert declared_or_inferred(pl.Series(["10", "9", "2"]), None, "nominal", "q", "linear").names == ("2", "9", "10")


@pytest.mark.parametrize(("scale", "weights"), [("ordinal", None), ("nominal", "linear")])
def test_an_order_that_is_not_that_of_the_words_is_said(scale: str, weights: str | None) -> None:
    result = declared_or_inferred(LEVELS, ("high", "low", "medium"), scale, "urgency", weights)
    assert result.note is not None
    assert result.note.startswith("Its labels are declared in the order high, low, medium.")
    assert declared_or_inferred(LEVELS, ("high", "medium", "low"), scale, "urgency", weights).note is None
    assert declared_or_inferred(LEVELS, ("high", "low", "medium"), "nominal", "urgency").note is None


@pytest.mark.parametrize(
    ("labels", "order"),
    [
        (["10 stars", "2 stars"], ("2 stars", "10 stars")),
        (["Very good", "bad", "OK", "very-bad"], ("very-bad", "bad", "OK", "Very good")),
        (["100%", "20%"], ("20%", "100%")),
        (["ok", "okay"], None),
        (["cat", "dog"], None),
        (["1a", "1b"], None),
    ],
)
def test_known_order(labels: list[str], order: tuple[str, ...] | None) -> None:
    assert known_order(labels) == order


@pytest.mark.parametrize("kind", ["gold", "system"])
@pytest.mark.parametrize(
    ("answers", "misspelt"),
    [
        (["Ok", "Unsafe"], True),
        (["ok", "Unsafe"], True),  # what is left of it would be a choice of items
        (["harmless", "harmful"], True),
        (["ok"] * 40 + ["OK"], False),
        (["ok", "rare"], False),
        (['["ok", "rare"]'], False),
        (["ok"], False),
    ],
)
def test_other_spellings_of_gold_and_systems_are_left_out(kind: str, answers: list[str], misspelt: bool) -> None:
    """As labels of their own they would put a system at 0.000, surely, and make chance smaller."""
    people = pl.DataFrame({"rater": "ann", "rater_kind": "human", "label": ["ok", "unsafe", "ok"]})
    ratings = pl.concat([people, pl.DataFrame({"rater": "x", "rater_kind": kind, "label": answers})])
    labels = labels_of_question(ratings, None, "nominal", "q")
    kept, notes = labels.keep_known(ratings)
    assert kept.equals(people if misspelt else ratings)
    assert any("not those of the other raters ('ok', 'unsafe')" in note for note in notes) == misspelt
    assert labels.misspelling == (("x",) if misspelt else ())
    config = labels_of_question(ratings, sorted({"ok", "unsafe", *answers}), "nominal", "q")
    assert not config.misspelling  # who declares a label means it


@pytest.mark.parametrize("scale", ["interval", "ratio"])
def test_numbers_on_a_scale_may_be_other_ones(scale: str) -> None:
    people = pl.DataFrame({"rater": "ann", "rater_kind": "human", "label": ["3", "4", "3"]})
    ratings = pl.concat([people, pl.DataFrame({"rater": "x", "rater_kind": "system", "label": ["3.7", "2.9"]})])
    labels = labels_of_question(ratings, None, scale, "q")
    assert (labels.names, labels.misspelling) == (("2.9", "3", "3.7", "4"), ())


def test_people_who_gave_one_label_tell_nothing_of_spelling() -> None:
    people = pl.DataFrame({"rater": "ann", "rater_kind": "human", "label": ["fail", "fail"]})
    system = pl.DataFrame({"rater": "x", "rater_kind": "system", "label": ["pass", "pass"]})
    assert misspelling_raters(pl.concat([people, system])) == []


def test_without_people_gold_is_compared_with_the_systems() -> None:
    gold = pl.DataFrame({"rater": "lead", "rater_kind": "gold", "label": ["A", "B"]})
    assert labels_of_question(gold, None, "nominal", "q").names == ("A", "B")
    system = pl.DataFrame({"rater": "gpt", "rater_kind": "system", "label": ["a", "b"]})
    assert misspelling_raters(pl.concat([gold, system])) == ["lead"]


@pytest.mark.parametrize("scale", ["ordinal", "interval"])
def test_decimal_commas_are_named(scale: str) -> None:
    """--labels takes a list with commas, so it cannot declare them."""
    with pytest.raises(InputError, match="numbers with a decimal comma") as refused:
        declared_or_inferred(pl.Series(["1", "1,5", "2,0"]), None, scale, "note")
    assert refused.value.hint.startswith("Write them with a point")


def test_a_long_label_does_not_fill_the_note() -> None:
    note = declared_or_inferred(pl.Series(["yes", "L" * 3000]), None, "nominal", "q").note
    assert note is not None
    assert f"{'L' * 60}... (3,000 characters), yes." in note
    assert len(note) < 200


def test_a_list_that_is_cut_says_how_many_more_there_are() -> None:
    result = declared_or_inferred(pl.Series([f"l{number:02}" for number in range(15)]), None, "nominal", "tone")
    assert result.note == (
        "Its labels were not declared; the 15 found were used: l00, l01, l02, l03, l04, l05, l06, l07, l08, l09, l10, "
        "l11 and 3 more."
    )
    assert shown_labels(["a", "b", "c", "d", "e", "f", "g"]) == "'a', 'b', 'c', 'd', 'e', 'f' and 1 more"


@pytest.mark.parametrize(
    ("labels", "says"),
    [
        (["A > B > C", "C > A = B"], "They look like rankings of 3 options."),
        (["A > B", "B > A", "n/a"], "They look like rankings of 2 options."),
        (["A > B > C"], None),  # all the same: no order to compare
        (["Home > Garden", "Home > Kitchen"], None),  # paths
        ([">50K", "<=50K"], None),
        ([f"a text about thing {i}" for i in range(20)], "They look like texts that the raters wrote."),
        ([f"a text about thing {i}" for i in range(19)], None),
        ([f"category {i}" for i in range(40)], None),
        ([";".join(order) for order in permutations(["slow app", "a bug", "no idea", "too dear"], 3)], None),  # sets
    ],
)  # fmt: skip
def test_labels_that_look_like_rankings_or_texts_are_told(labels: list[str], says: str | None) -> None:
    note = declared_or_inferred(pl.Series(labels), None, "nominal", "q").note
    assert note is not None
    assert (says is None) == ("They look like" not in note)
    assert says is None or says in note
    assert "They look like" not in (declared_or_inferred(pl.Series(labels), labels, "nominal", "q").note or "")

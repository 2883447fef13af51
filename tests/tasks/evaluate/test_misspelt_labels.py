"""Labels that are perhaps another one, misspelt."""

from collections.abc import Iterable
from pathlib import Path

import polars as pl
import pytest

from tasks.evaluate.labels import labels_of_question
from tasks.evaluate.misspelt_labels import is_one_letter_apart, misspelt_note
from tasks.single_file.inspect_file import inspect_file


def ratings(*rows: tuple[str, str, int]) -> pl.DataFrame:
    """Rows of rater, label and how many items."""
    return pl.DataFrame(rows, schema=["rater", "label", "n_items"], orient="row").with_columns(
        rater_kind=pl.lit("human")
    )


def spelt(*labels: str) -> Iterable[tuple[str, str, int]]:
    return [(rater, label, 100) for rater in ("ann", "bob", "cy") for label in labels]


def test_a_rare_label_one_letter_from_another_is_named_with_its_ratings() -> None:
    rows = ratings(*spelt("positive", "negative"), ("ann", "positve", 4), ("bob", "positve", 2))
    text = misspelt_note(rows)
    assert text is not None
    assert text.startswith(
        "Perhaps misspelt: 'positve' (6 ratings) for 'positive' (300). Each counts as a label of its own"
    )
    assert "gwet_ac1" in text
    one_row_each = rows.select(pl.all().repeat_by("n_items").explode()).drop("n_items")
    assert misspelt_note(one_row_each) == text


def test_a_rater_who_always_writes_it_so_is_named_though_it_is_not_rare() -> None:
    rows = ratings(*spelt("positive", "negative"), ("dee", "positve", 90), ("dee", "negative", 90))
    assert "'positve' (90 ratings) for 'positive' (300)" in (misspelt_note(rows) or "")
    often = ratings(*spelt("positive", "negative"), ("ann", "positve", 90))
    assert misspelt_note(often) is None, "the rater means another label by it"


def test_one_word_of_several_may_be_misspelt() -> None:
    rows = ratings(("ann", "very positive", 500), ("ann", "very positve", 2))
    assert "'very positve' (2 ratings) for 'very positive' (500)" in (misspelt_note(rows) or "")


@pytest.mark.parametrize(
    ("rare", "common"),
    [
        ("typical", "atypical"),
        ("likely", "unlikely"),
        ("cat", "cart"),
        ("class 1", "class 2"),
        ("neutral", "negative"),
        ("class b", "class a"),
        ("type_b", "type_a"),
        ("very likely", "very likely so"),
    ],
)
def test_other_words_are_not(rare: str, common: str) -> None:
    assert misspelt_note(ratings(("ann", common, 500), ("ann", rare, 2))) is None


def test_orders_of_the_same_letters_are_not() -> None:
    assert misspelt_note(ratings(("ann", "ABCDEF", 500), ("ann", "ABDCEF", 2), ("ben", "BACDEF", 2))) is None
    assert misspelt_note(ratings(("ann", "positive", 500), ("ann", "postiive", 2)))


@pytest.mark.parametrize(
    ("misspelt", "word", "is_near"),
    [("positve", "positive", True), ("possitive", "positive", True), ("pisitive", "positive", True),
     ("psoitive", "positive", True), ("positives", "positive", True), ("Positve", "Positive", True),
     ("postve", "positive", False), ("positive", "positive", False), ("psotiive", "positive", False)],
)  # fmt: skip
def test_one_letter(misspelt: str, word: str, is_near: bool) -> None:
    assert is_one_letter_apart(misspelt, word) == is_one_letter_apart(word, misspelt) == is_near


def test_declared_labels_are_not_doubted_and_inferred_ones_are() -> None:
    rows = ratings(*spelt("positive", "negative"), ("ann", "positve", 4))
    assert "Perhaps misspelt" in (labels_of_question(rows, None, "nominal", "q").note or "")
    assert labels_of_question(rows, ["negative", "positive", "positve"], "nominal", "q").note is None


def test_inspect_says_so(tmp_path: Path) -> None:
    path = tmp_path / "q.csv"
    rows = [f"{i},{rater},{'positive' if i % 2 else 'negative'}" for i in range(50) for rater in ("ann", "bob")]
    path.write_text("\n".join(["item,rater,label", *rows, "99,ann,positve"]) + "\n")
    assert any("'positve' (1 rating) for 'positive' (50)" in text for text in inspect_file(path)["warnings"])  # type: ignore[attr-defined]

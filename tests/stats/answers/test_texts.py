"""Similarity of texts: counted by hand, pooled over pairs and items."""

import polars as pl
import pytest

from stats.answers import TEXTS, answer_agreement, text_distances


def texts(*rows: tuple[str, str, str]) -> pl.DataFrame:
    return pl.DataFrame(rows, schema=TEXTS, orient="row")


@pytest.mark.parametrize(
    ("first", "second", "characters", "words", "same"),
    [
        ("kitten", "sitting", 1 - 3 / 7, 0.0, 0.0),  # Levenshtein's distance of the textbooks: 3
        ("a b c", "a b c", 1.0, 1.0, 1.0),
        ("a b c", "a  b c", 5 / 6, 1.0, 0.0),
        ("", "", 1.0, 1.0, 1.0),
        ("", "abc", 0.0, 0.0, 0.0),
        ("İ𝄞", "İ", 0.5, 0.0, 0.0),
    ],
)
def test_two_texts(first: str, second: str, characters: float, words: float, same: float) -> None:
    result = text_distances(texts(("1", "ann", first), ("1", "ben", second))).row(0)
    assert result == ("1", "ann", "ben", pytest.approx(characters), pytest.approx(words), same)


def test_pairs_are_pooled_and_items_left_out_in_turn() -> None:
    rows = texts(("1", "a", "x"), ("1", "b", "x"), ("1", "c", "y"), ("2", "a", "x"), ("2", "b", "x"), ("3", "a", "z"))
    result = answer_agreement(text_distances(rows)).filter(pl.col("name") == "exact_match").row(0, named=True)
    assert (result["estimate"], result["n_items"], result["n_raters"], result["n_ratings"]) == (0.5, 2, 3, 5)
    assert result["se"] == pytest.approx((1 / 2 * ((1 - 2 / 3) ** 2 + (1 / 3 - 2 / 3) ** 2)) ** 0.5)


def test_nothing_to_compare_is_a_reason() -> None:
    assert set(answer_agreement(text_distances(texts(("1", "a", "x"))))["reason"]) == {"too_few_raters"}

"""Which texts have a length that alphas can count on."""

import polars as pl

from stats.regions import LENGTHS, SPANS, known_lengths, n_left_out

SPANS_OF_TEXTS = pl.DataFrame(
    [("1", "ann", 0, 10, "A"), ("2", "ann", 0, 11, "A"), ("3", "ben", 2, 4, "A")], schema=SPANS, orient="row"
)
TEXTS = pl.DataFrame(
    [("1", 10), ("1", 10), ("2", 10), ("3", 10), ("3", 12), ("4", 7), ("5", None)], schema=LENGTHS, orient="row"
)


def test_a_text_with_two_lengths_or_a_span_behind_its_end_has_no_known_length() -> None:
    assert known_lengths(TEXTS, SPANS_OF_TEXTS).rows() == [("1", 10), ("4", 7)]


def test_only_texts_that_two_raters_did_are_counted_as_left_out() -> None:
    known = known_lengths(TEXTS, SPANS_OF_TEXTS)
    two = pl.DataFrame({"item": list("12345") * 2, "rater": ["ann"] * 5 + ["ben"] * 5})
    assert n_left_out(TEXTS, known, two) == 2, "texts 2 and 3; no file holds text 5"
    assert n_left_out(TEXTS, known, two.filter((pl.col("rater") == "ann") | (pl.col("item") == "3"))) == 1

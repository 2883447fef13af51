"""The sentences on raters who are left out, from the ratings and from the rows that were stored."""

import polars as pl
import pytest

from stats.accuracy import annotators
from stats.accuracy.raters.left_out import MAX_NAMED, LeftOut, left_out_of
from stats.accuracy.raters.single_label import DETAIL
from tasks.single_file.agree_file import agree
from tasks.single_file.load_file import FileOptions
from tests.stats.accuracy.raters.test_copied_ratings import LABELS, PEOPLE


def test_the_rows_of_annotators_say_who_is_left_out() -> None:
    lazy = PEOPLE.filter(pl.col("rater") == "bob").with_columns(rater=pl.lit("zoe"), label=pl.lit("a"))
    people = annotators(pl.concat([PEOPLE, lazy]).drop("right"), labels=LABELS)
    assert people.left_out.names == ("ann2", "zoe")
    assert left_out_of(people.raters).names == people.left_out.names
    assert left_out_of(people.raters).warnings() == people.left_out.warnings()
    of_one, of_copy = people.left_out.warnings()
    assert "came from zoe." in of_one
    assert of_copy.startswith("ann2 gave the same label as ann on 300 of 300 items")


def test_many_raters_are_counted() -> None:
    copies = {f"c{i:02d}": "This rater gave the same label as ann on 60 of 60 items." for i in range(MAX_NAMED + 2)}
    lazies = {f"l{i:02d}": DETAIL for i in range(MAX_NAMED + 2)}
    first, *others = LeftOut(copies | lazies).warnings()
    assert "l09 and 2 more." in first
    assert others[-1] == "The same labels as another rater came from c10, c11, too."
    assert len(others) == MAX_NAMED + 1


def test_votes_without_names_are_nobodys() -> None:
    votes = PEOPLE.with_columns(rater="vote #" + pl.col("rater").rank("dense").cast(pl.String)).drop("right")
    assert annotators(votes, labels=LABELS).left_out == LeftOut()


@pytest.mark.parametrize("raters", [["ann", "ann2", "bob", "cem", "dan"], ["ann", "ann2", "bob"]])
def test_agree_names_both(raters, tmp_path) -> None:
    PEOPLE.filter(pl.col("rater").is_in(raters)).drop("right").write_csv(tmp_path / "labels.csv")
    (result,) = agree(tmp_path / "labels.csv", FileOptions())
    assert any("ann" in text and "gave the same label" in text for text in result["warnings"])

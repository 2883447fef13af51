"""The live pages name the systems that are less accurate on a slice, and how many more there are."""

import polars as pl

from tasks.dashboard.systems_page import linked_low_slices
from tests.stats.accuracy.comparison.test_low_slices import row

BY_SLICE = pl.DataFrame([each | {"question": "tone"} for each in (row("de", 0.6), row("fr", 0.9))])


def test_a_sentence_leads_to_the_systems_of_its_question() -> None:
    (sentence,) = linked_low_slices(BY_SLICE)
    assert '<a href="/systems?question=tone">' in sentence
    assert "gpt is less accurate where language is de: 0.60" in sentence


def test_of_many_systems_some_are_named() -> None:
    several = pl.concat([BY_SLICE.with_columns(system=pl.lit(f"<b>{number}")) for number in range(6)])
    sentences = linked_low_slices(several)
    assert len(sentences) == 5
    assert "&lt;b&gt;0" in sentences[0]
    assert "2\xa0further systems are less accurate on a slice" in sentences[-1]


def test_without_systems_nothing_is_said() -> None:
    assert linked_low_slices(pl.DataFrame()) == []

"""The live pages name the systems that are less accurate on a slice, and how many more there are."""

from collections.abc import Mapping
from typing import Any

import polars as pl
from markupsafe import Markup

from tasks.dashboard.page_filters import PageFilters
from tasks.dashboard.page_reading import PageReading
from tasks.dashboard.systems_page import linked_low_slices
from tests.stats.accuracy.comparison.test_low_slices import row

BY_SLICE = pl.DataFrame([each | {"question": "tone"} for each in (row("de", 0.6), row("fr", 0.9))])


class SystemRows:
    """Stands for a snapshot of these rows, and filters them as the query of a page does."""

    def __init__(self, rows: pl.DataFrame) -> None:
        self.rows = rows

    def read(self, name: str, values: Mapping[str, Any]) -> pl.DataFrame:
        assert name == "systems"
        scope = f"slice:{values['slice']}"
        in_scope = pl.lit(True) if values["slice"] is None else pl.col("scope").is_in(["all", scope])
        of_system = pl.lit(True) if values["system"] is None else pl.col("system") == values["system"]
        return self.rows.filter(in_scope & of_system) if self.rows.height else self.rows


def sentences_of(rows: pl.DataFrame, **filters: str) -> list[Markup]:
    return linked_low_slices(PageReading(SystemRows(rows), PageFilters(**filters)))


def test_a_sentence_leads_to_the_systems_of_its_question() -> None:
    (sentence,) = sentences_of(BY_SLICE)
    assert '<a href="/systems?question=tone">' in sentence
    assert "gpt is less accurate where language is de: 0.60" in sentence


def test_of_many_systems_some_are_named() -> None:
    several = pl.concat([BY_SLICE.with_columns(system=pl.lit(f"<b>{number}")) for number in range(6)])
    sentences = sentences_of(several)
    assert len(sentences) == 5
    assert "&lt;b&gt;0" in sentences[0]
    assert "2\xa0further systems are less accurate on a slice" in sentences[-1]


def test_the_page_of_one_system_or_slice_names_what_all_systems_and_slices_show() -> None:
    """The interval of the others is narrow: beside no further system the difference would be clear enough."""
    near = pl.DataFrame([each | {"question": "tone"} for each in (row("de", 0.78, 0.1), row("fr", 0.89, 0.001))])
    assert sentences_of(near) != []
    many = pl.concat([near, *(BY_SLICE.with_columns(system=pl.lit(f"other {number}")) for number in range(20))])
    assert sentences_of(many, system="gpt") == []
    both = pl.concat([BY_SLICE, BY_SLICE.with_columns(system=pl.lit("claude"))])
    (sentence,) = sentences_of(both, system="gpt", slice="language=de")
    assert "gpt is less accurate where language is de: 0.60" in sentence


def test_without_systems_nothing_is_said() -> None:
    assert sentences_of(pl.DataFrame()) == []

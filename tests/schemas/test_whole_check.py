"""The one query for a whole contract says what pandera says."""

import random

import pandera.polars as pa
import polars as pl
import pytest
from pandera.errors import SchemaErrors

from schemas.contracts import SCHEMAS
from schemas.whole_check import keeps
from tests.schemas.test_schemas import frame

VALUES = {
    pl.String: [None, "", "x" * 4_001, "Not a code", "human"],
    pl.Float64: [None, float("nan"), float("inf"), -0.5, 0.5, 1 + 1e-12, 7.0],
    pl.Int64: [None, -1, 0, 1_000_000],
}


def _pandera_says(schema: pa.DataFrameSchema, rows: pl.DataFrame) -> bool:
    try:
        schema.validate(rows, lazy=True)
    except SchemaErrors:
        return False
    return True


@pytest.mark.parametrize("name", SCHEMAS)
def test_it_says_what_pandera_says(name: str) -> None:
    schema, draw = SCHEMAS[name].to_schema(), random.Random(name)
    columns = [column for column, dtype in frame(name).schema.items() if type(dtype) in VALUES or dtype in VALUES]
    for column in draw.sample(columns, min(5, len(columns))):
        value = draw.choice(VALUES[frame(name).schema[column].base_type()])  # type: ignore[index]
        rows = pl.concat([frame(name), frame(name, **{column: value}), frame(name)])
        assert keeps(schema, rows) == _pandera_says(schema, rows), (column, value)
    assert keeps(schema, frame(name)) is True


def test_both_answers_occur() -> None:
    schema = SCHEMAS["agreement"].to_schema()
    assert keeps(schema, frame("agreement"))
    assert not keeps(schema, frame("agreement", se=-1.0))
    assert not keeps(schema, frame("agreement").drop("n_items"))
    assert not keeps(schema, frame("agreement").with_columns(n_items=pl.lit("three")))


class Text(pa.DataFrameModel):
    """A contract of the simplest kind."""

    text: str = pa.Field(str_length={"max_value": 3})


@pytest.mark.parametrize(
    "further",
    [
        {"text": pa.Column(str, unique=True)},
        {"text": pa.Column(str, coerce=True)},
        {"text": pa.Column(str, pa.Check(lambda text: len(text) < 4, element_wise=True))},
        {"text": pa.Column(str, pa.Check.str_length(max_value=3, ignore_na=False))},
        {"^te.*$": pa.Column(str, regex=True)},
    ],
)
def test_of_a_schema_that_asks_for_more_only_pandera_knows(further: dict[str, pa.Column]) -> None:
    rows = pl.DataFrame({"text": ["a"]})
    assert keeps(Text.to_schema(), rows)
    assert _pandera_says(pa.DataFrameSchema(further), rows)
    assert not keeps(pa.DataFrameSchema(further), rows)
    assert not keeps(pa.DataFrameSchema({"text": pa.Column(str)}, strict=True), rows)

"""What keeps a contract passes at once; all else goes to pandera."""

from copy import deepcopy

import polars as pl
import pytest

from schemas.contracts import SCHEMAS, breaches
from schemas.quick_check import passes, prepare
from tests.schemas.test_schemas import frame


@pytest.mark.parametrize("name", SCHEMAS)
def test_it_agrees_with_pandera(name: str) -> None:
    good = frame(name)
    schema = SCHEMAS[name].to_schema()
    prepare(schema)
    assert passes(schema, good)
    assert passes(schema, good.clear())
    for column, dtype in good.schema.items():
        nothing = good.with_columns(pl.lit(None, dtype).alias(column))
        assert passes(schema, pl.concat([good, nothing])) == breaches(name, nothing).is_empty()
        assert not passes(schema, good.drop(column))


def test_what_only_pandera_can_tell_goes_to_pandera() -> None:
    schema = deepcopy(SCHEMAS["agreement"].to_schema())  # pandera keeps one of each model
    prepare(schema)
    schema.strict = True
    assert not passes(schema, frame("agreement"))
    schema.strict = False
    schema.columns["n_items"].unique = True
    assert not passes(schema, frame("agreement"))

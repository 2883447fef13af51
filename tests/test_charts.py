"""The charts of docs/explanation are up to date: `python -m docs.charts` draws them again."""

import re

import pytest

from docs.charts import CHARTS, IMAGES

NUMBER = re.compile(r"-?\d+(?:\.\d+)?")


@pytest.mark.parametrize("name", CHARTS)
def test_a_chart_is_up_to_date(name: str) -> None:
    kept, drawn = (IMAGES / name).read_text(encoding="utf-8"), CHARTS[name]()
    assert NUMBER.sub("#", kept) == NUMBER.sub("#", drawn), f"docs/images/{name}: run `python -m docs.charts`"
    # A pixel or two, since the last digits of an estimate may differ from machine to machine.
    assert [float(n) for n in NUMBER.findall(kept)] == pytest.approx([float(n) for n in NUMBER.findall(drawn)], abs=2)

"""The histogram of items by agreement."""

import re

import polars as pl

from tasks.report.sections.item_agreement_section import item_histogram


def rows(*values: tuple[float, int]) -> pl.DataFrame:
    results = [{"question": "q", "agreement_low": low, "agreement_high": low + 0.1, "n_items": n} for low, n in values]
    schema = {"question": pl.String, "agreement_low": pl.Float64, "agreement_high": pl.Float64, "n_items": pl.Int64}
    whole = pl.DataFrame(results, schema=schema)
    return whole.with_columns(share=pl.col("n_items") / pl.col("n_items").sum())


def test_each_bar_says_how_many_items_it_holds() -> None:
    svg = str(item_histogram(rows((0.3, 1), (0.0, 2), (0.9, 5)))).replace("\xa0", " ")
    tips = re.findall(r"<title>(.*?)</title>", svg)
    assert tips == [
        "2 items, 25.0 %, agreement from 0.0 to 0.1",
        "1 item, 12.5 %, agreement from 0.3 to 0.4",
        "5 items, 62.5 %, agreement from 0.9 to 1.0",
    ]
    assert "8 items, 5 of them from 90 % on" in svg


def test_heights_follow_the_numbers() -> None:
    svg = str(item_histogram(rows((0.0, 10), (0.9, 20))))
    heights = [float(height) for height in re.findall(r'd="M[^"]*?v([\d.]+)h', svg)]
    assert len(heights) == 2
    assert heights[1] / heights[0] == 2


def test_without_items_nothing_is_drawn() -> None:
    assert item_histogram(rows()) == ""

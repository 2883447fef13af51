"""The heat map of pairs: where its cells lead."""

import re

import polars as pl

from tasks.report.sections.pairs_section import pairs, weighted_pairs

PAIRS = pl.DataFrame(
    {
        "rater_a": ["ann", "ann", "<b>bo"],
        "rater_b": ["<b>bo", "cy", "cy"],
        "coefficient": ["cohen_kappa"] * 3,
        "estimate": [0.5, 0.6, 0.7],
        "low": [0.4] * 3,
        "high": [0.8] * 3,
        "n_items": [20] * 3,
        "reason": pl.Series([None] * 3, dtype=pl.String),
    }
)


def way(rater_a: str, rater_b: str) -> str:
    return f"/raters?a={len(rater_a)}&b={rater_b[0]}"


def test_each_cell_leads_to_its_pair() -> None:
    result = pairs(PAIRS, way)
    assert result is not None
    links = re.findall(r'<a href="([^"]*)" aria-label="([^"]*)">', str(result.chart))
    assert sorted(links) == [
        ("/raters?a=3&amp;b=&lt;", "ann, &lt;b&gt;bo: 0.500 (0.400 – 0.800)"),
        ("/raters?a=3&amp;b=c", "ann, cy: 0.600 (0.400 – 0.800)"),
        ("/raters?a=5&amp;b=c", "&lt;b&gt;bo, cy: 0.700 (0.400 – 0.800)"),
    ]
    assert 'role="group"' in result.chart


def test_pairs_of_one_annotator_are_told() -> None:
    assert "themselves" not in pairs(PAIRS).note  # type: ignore[union-attr]
    readings = PAIRS.with_columns(rater_b=pl.Series(["ann #2", "ann #3", "vote #1"]))
    result = pairs(readings.with_columns(rater_a=pl.Series(["ann", "ann #2", "vote #2"])))
    assert result is not None
    assert "2 are two readings of one annotator each: how far annotators agree with themselves." in result.note


def test_a_page_without_other_pages_has_no_links() -> None:
    result = pairs(PAIRS)
    assert result is not None
    assert "<a " not in result.chart
    assert 'role="img"' in result.chart


def test_pairs_that_look_alike_lead_nowhere() -> None:
    long = "x" * 60
    alike = PAIRS.with_columns(rater_b=pl.Series([f"{long}1", f"{long}2", "cy"]), estimate=pl.Series([0.5, 0.5, 0.7]))
    result = pairs(alike, way)
    assert result is not None
    assert len(re.findall("<a ", str(result.chart))) == 1


def test_pairs_with_few_items_come_after_the_others() -> None:
    result = pairs(PAIRS.with_columns(n_items=pl.Series([2, 40, 40]), estimate=pl.Series([-1.0, 0.6, 0.5])))
    assert result is not None
    assert [str(row[1]) for row in result.table.rows] == ["0.500", "0.600", "−1.000"]
    assert "Pairs with fewer than 30 items come last." in result.note
    alike = pairs(PAIRS)
    assert alike is not None
    assert "come last" not in alike.note


def alpha(scale: str, weights: str = "metric") -> list[dict[str, str]]:
    return [{"coefficient": "krippendorff_alpha", "scale": scale, "weights": weights}]


def test_numbers_are_compared_by_how_far_apart_they_are() -> None:
    by_scale = {"weighted_kappa": [0.9, 0.91, 0.92], "weighted_low": [0.85] * 3, "weighted_high": [0.95] * 3}
    in_both = PAIRS.with_columns(**{name: pl.Series(values) for name, values in by_scale.items()})
    for scale, weights, name, value in (
        ("interval", "metric", "Cohen&#39;s kappa with quadratic weights of 3\N{NO-BREAK SPACE}pairs.", "0.900"),
        ("ratio", "metric", "Cohen&#39;s kappa with quadratic weights of 3\N{NO-BREAK SPACE}pairs.", "0.900"),
        ("interval", "linear", "Cohen&#39;s kappa with linear weights of 3\N{NO-BREAK SPACE}pairs.", "0.500"),
        ("ordinal", "metric", "Cohen&#39;s kappa of 3\N{NO-BREAK SPACE}pairs.", "0.500"),
    ):
        result = pairs(weighted_pairs(in_both, alpha(scale, weights)))
        assert result is not None
        assert result.note.startswith(name), result.note
        assert result.table.rows[0][1] == value
    older = pairs(weighted_pairs(PAIRS, alpha("interval")))
    assert older is not None
    assert older.note.startswith("Cohen&#39;s kappa of 3\N{NO-BREAK SPACE}pairs.")

"""The report's table of annotators beside the others."""

import polars as pl

from tasks.report.formatting import MARK
from tasks.report.sections.scorecard_section import scorecard_table


def card(rater: str, agreement: float | None, **more: object) -> dict[str, object]:
    figures = ("gold_accuracy", "gold_low", "gold_high", "severity", "severity_low", "severity_high", "median_s")
    return {
        "rater": rater, "n_items": 20, "confidence": 0.95, "agreement": agreement, "agreement_low": agreement,
        "agreement_high": agreement, "agreement_reason": None if agreement else "too_few_items", "n_edits": 2,
        "n_skipped": None, "skipped_reason": "not_kept_by_rater",
        "n_open_alerts": 0, "chart_state": "own_reference", **dict.fromkeys(figures), **more,
    }  # fmt: skip


def test_who_agrees_least_comes_first() -> None:
    table = scorecard_table(
        pl.DataFrame(
            [card("<b>ann", 0.9), card("bob", 0.5, n_open_alerts=2), card("cid", None)], infer_schema_length=None
        )
    )
    assert table is not None
    names = [str(row[0]) for row in table.rows]
    assert ["bob" in names[0], "&lt;b&gt;ann" in names[1], "cid" in names[2]] == [True] * 3
    assert [str(row[-1]) for row in table.rows] == ["2\xa0open alerts", *["charted by own first items"] * 2]
    assert [len(row) for row in table.rows] == [len(table.columns)] * 3


def test_who_has_no_chart_for_a_reason_of_the_raters_own_is_named_with_it() -> None:
    cards = [card(f"r{n}", 0.5 + n / 10, chart_detail="Too few items." if n else None) for n in range(5)]
    table = scorecard_table(pl.DataFrame(cards, infer_schema_length=None))
    assert table is not None
    named = "No chart for r1: Too few items. r2: Too few items. r3: Too few items."
    assert table.note == f"{named} 1 more: table missing_charts."


def test_skips_are_a_dash_where_they_are_not_known() -> None:
    table = scorecard_table(pl.DataFrame([card("ann", 0.9)], infer_schema_length=None))
    assert table is not None
    place = [column.title for column in table.columns].index("Skips")
    assert table.rows[0][place] == MARK
    assert table.rows[0][place + 1] == "20"
    known = scorecard_table(pl.DataFrame([card("ann", 0.9, n_skipped=3)], infer_schema_length=None))
    assert known is not None
    assert known.rows[0][place] == "3"


def test_no_annotators_no_table() -> None:
    assert scorecard_table(pl.DataFrame()) is None

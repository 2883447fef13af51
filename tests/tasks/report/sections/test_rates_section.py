"""The report's table of label rates."""

from datetime import UTC, datetime, timedelta

import polars as pl

from tasks.report.sections.rates_section import rates_table, weekly_rates_table


def row(**changes: object) -> dict[str, object]:
    usual = {
        "scope": "all", "system": "judge", "label": "pass", "method": "ppi", "estimate": 0.6, "low": 0.5, "high": 0.7,
        "confidence": 0.95, "n_items": 400, "n_gold": 40, "reason": None, "detail": None,
    }  # fmt: skip
    return usual | changes


def test_the_corrected_rate_stands_beside_what_the_system_says() -> None:
    rows = [
        row(),
        row(method="raw", estimate=0.8, n_gold=0),
        row(method="gold_only", estimate=0.55),
        row(scope="slice:language=de", estimate=0.1),
    ]
    table = rates_table(pl.DataFrame(rows))
    assert table is not None
    (cells,) = table.rows
    assert cells[2].startswith("60.0")
    assert cells[6].startswith("80.0")
    assert cells[5] == "corrected with gold"


def test_an_undefined_rate_has_its_reason_and_a_hostile_label_is_escaped() -> None:
    rows = [row(label="<b>x", estimate=None, low=None, high=None, reason="too_few_gold", detail="Too few.")]
    table = rates_table(pl.DataFrame(rows))
    assert table is not None
    assert "<b>" not in table.rows[0][1]
    assert "too few gold" in table.rows[0][3]


def test_no_rates_no_table() -> None:
    assert rates_table(pl.DataFrame(schema={"scope": pl.String, "method": pl.String})) is None


def test_the_last_weeks_with_both_intervals() -> None:
    weeks = [datetime(2026, 1, 5, tzinfo=UTC) + timedelta(weeks=number) for number in range(10)]
    usual = {"period": "week", "system": "judge", "label": "pass", "low": 0.4, "high": 0.6, "too_few": False}
    outer = {"outer_low": 0.3, "outer_high": 0.7, "n_items": 40}
    rows = [
        {**usual, **outer, "period_start": week, "method": method, "estimate": estimate}
        for week in weeks
        for method, estimate in (("model", 0.5), ("raw", 0.55))
    ]
    table = weekly_rates_table(pl.DataFrame(rows))
    assert table is not None
    assert len(table.rows) == 8  # the last ones
    assert table.rows[0][2] == "2026-01-19"
    begins = ("50.0", "30.0", "40.0", "by the", "55.0")
    assert all(str(cell).startswith(text) for cell, text in zip(table.rows[0][3:8], begins, strict=True))
    assert weekly_rates_table(pl.DataFrame(rows[:2])) is None
    assert weekly_rates_table(pl.DataFrame(schema={"period": pl.String, "too_few": pl.String})) is None
    assert weekly_rates_table(pl.DataFrame(rows).with_columns(too_few=True)) is None

"""What an interval without width means is said below each table that shows one."""

from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import polars as pl

from tasks.report.report_data import ReportData, completed
from tasks.report.sections.agreement_section import coefficient_table, scope_table
from tasks.report.sections.pairs_section import pairs
from tasks.report.sections.trend_section import trends
from tasks.summary.interval_width import ALL_ALIKE
from tests.tasks.summary.test_label_weights import KAPPA

SURE, UNSURE = KAPPA | {"low": 1.0, "high": 1.0}, KAPPA | {"low": 0.4, "high": 0.9}


def test_the_tables_of_the_report_say_it() -> None:
    assert [coefficient_table([row]).note for row in (SURE, UNSURE)] == [ALL_ALIKE, ""]
    for row, note in ((SURE, ALL_ALIKE), (UNSURE, "")):
        table = scope_table(pl.DataFrame([row | {"scope": "label:a"}], infer_schema_length=None), [])
        assert table is not None
        assert table.note == note


def test_the_table_of_pairs_says_it_and_what_comes_first() -> None:
    rows = [SURE | {"rater_a": "ann", "rater_b": other, "estimate": value, "coefficient": "cohen_kappa"}
            for other, value in (("ben", 1.0), ("cleo", 0.2))]  # fmt: skip
    section = pairs(pl.DataFrame(rows, infer_schema_length=None))
    assert section is not None
    assert section.table.note == ALL_ALIKE
    assert [cells[1] for cells in section.table.rows] == ["0.200", "1.000"]
    assert section.note.striptags().endswith("Darker is closer. The lowest come first:")


def test_the_windows_of_a_chart_say_it() -> None:
    months = [
        row | {"period": "month", "period_start": date(2026, month, 1), "scope": "humans", "too_few": False}
        for month, row in ((1, SURE), (2, UNSURE))
    ]  # fmt: skip
    data = completed(ReportData("t", datetime(2026, 4, 1, tzinfo=UTC), "1", trend=pl.DataFrame(months)))
    (by_month,) = trends(data.trend, KAPPA | {"scope": "humans"}, data.alerts)
    assert by_month.table.note == ALL_ALIKE


def test_agree_says_it_of_labels_and_pairs(tmp_path: Path, kappaflow: Any) -> None:
    file = tmp_path / "labels.csv"
    answers = zip("aabbccaabb", "aabbccaaba", strict=True)
    file.write_text("item,rater,label\n" + "".join(f"{i},x,{a}\n{i},y,{b}\n" for i, (a, b) in enumerate(answers)))
    by_label = " ".join(kappaflow("agree", file, "--by", "label").stdout.split())
    assert by_label.count(ALL_ALIKE) == 1  # c, on two items
    by_pair = " ".join(kappaflow("agree", file, "--by", "pair").stdout.split())
    assert ALL_ALIKE not in by_pair

"""The report's section on spans and boxes: what stands where, reasons, hostile names."""

from datetime import UTC, datetime

import polars as pl

from tasks.report import ReportData, render


def figure(coefficient: str, estimate: float | None, **changes: object) -> dict[str, object]:
    return {
        "question": "ner", "coefficient": coefficient, "estimate": estimate, "low": estimate and 0.1,
        "high": estimate and 0.9, "confidence": 0.95, "rater_a": None, "rater_b": None, "label": None, "n_items": 3,
        "n_raters": 2, "n_regions": 5, "reason": None if estimate else "zero_denominator",
        "detail": None if estimate else "Neither rater marked anything.",
    } | changes  # fmt: skip


def page(*rows: dict[str, object]) -> str:
    regions = pl.DataFrame(rows, infer_schema_length=None)
    return render(ReportData(title="t", made_at=datetime(2026, 3, 1, tzinfo=UTC), code_version="1", regions=regions))


def test_all_pairs_and_labels_have_a_table_each() -> None:
    shown = page(
        figure("f1_exact", 0.571),
        figure("f1_exact", 0.667, rater_a="<b>ann", rater_b="ben"),
        figure("f1_exact", None, label="PER"),
    )
    assert "ner</bdi>: spans and boxes" in shown
    for words in ("Pairs of raters", "Each label", "&lt;b&gt;ann", "0.571", "zero denominator"):
        assert words in shown
    assert "<b>ann" not in shown


def test_a_question_without_pairs_has_no_table_of_them() -> None:
    shown = page(figure("f1_iou50", 0.5))
    assert "F1, IoU .5" in shown
    assert "Pairs of raters" not in shown

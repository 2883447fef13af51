"""The report's section on spans and boxes: what stands where, reasons, hostile names."""

from datetime import UTC, datetime

import polars as pl
from markupsafe import Markup

from tasks.report import ReportData, render
from tasks.report.report_data import completed
from tasks.report.sections.region_section import region_sections


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


def test_who_agrees_less_with_the_others_needs_attention() -> None:
    pairs = [("ann", "ben", 0.9), ("ann", "<b>cy", 0.3), ("ben", "<b>cy", 0.3)]
    shared = {"n_items": 90, "n_regions": 99}
    apart = [
        figure("f1_exact", value, rater_a=a, rater_b=b, low=value - 0.1, high=value + 0.1, **shared)
        for a, b, value in pairs
    ]
    shown = page(figure("f1_exact", 0.5, **shared), *apart)
    assert "&lt;b&gt;cy agrees less with the others (F1 (exact) 0.30) than they with each other (0.90)." in shown
    assert "no open alerts" not in shown


def test_what_the_evaluation_noted_is_said() -> None:
    notes = pl.DataFrame({"question": ["ner"], "detail": ["ner: 1 text is <left> out."]})
    data = ReportData(
        title="t", made_at=datetime(2026, 3, 1, tzinfo=UTC), code_version="1",
        regions=pl.DataFrame([figure("f1_exact", 0.571)], infer_schema_length=None), evaluation_notes=notes,
    )  # fmt: skip
    (section,) = region_sections(completed(data))
    assert section.evaluation_note.striptags() == "1 text is <left> out."
    assert f'<p class="note">{section.evaluation_note}</p>' in render(data)


def test_the_chart_over_time_shows_windows_with_too_few_items_faint() -> None:
    days = [datetime(2026, 3, day, tzinfo=UTC) for day in (2, 9, 16)]
    windows = [
        {
            "question": "ner", "period": "week", "period_start": day, "period_end": day, "coefficient": coefficient,
            "estimate": estimate, "low": 0.3, "high": 0.8, "label": label, "n_items": 9, "n_raters": 2, "n_regions": 12,
            "too_few": day == days[1], "run_id": "m",
        }
        for day, estimate in zip(days, (0.512, 0.634, 0.756), strict=True)
        for coefficient in ("f1_exact", "f1_partial")
        for label in (None, "PER")
    ]  # fmt: skip
    data = ReportData(
        title="t",
        made_at=datetime(2026, 4, 1, tzinfo=UTC),
        code_version="1",
        regions=pl.DataFrame([figure("f1_exact", 0.571)], infer_schema_length=None),
        region_trend=pl.DataFrame(windows, infer_schema_length=None),
    )
    (section,) = region_sections(completed(data))
    (trend,) = section.trends
    assert (section.main_name, trend.title, trend.estimates) == ("F1, exact", "By week", (0.512, None, 0.756))
    assert "1 of 3 have too few items" in trend.note
    shown = render(data)
    assert "<span class='few'>0.634</span>" in shown
    assert "2026-03-16" in shown
    assert str(trend.chart).count("too few items") == 1


def test_one_window_makes_no_chart() -> None:
    assert "Agreement over time" not in page(figure("f1_exact", 0.5))


def test_rankings_and_texts_have_words_of_their_own_and_no_regions() -> None:
    answers = {"n_regions": 0}
    shown = page(
        figure("kendall_w", 0.5, question="order", **answers),
        figure("spearman", 0.25, question="order", rater_a="ann", rater_b="ben", **answers),
        figure("text_similarity", 0.75, question="note", **answers),
    )
    for words in ("order</bdi>: rankings", "note</bdi>: texts", "Agreement on the order", "similarity of characters"):
        assert words in shown
    assert "Regions" not in shown
    assert "F1" not in shown


def test_the_first_screen_says_how_far_raters_agree_and_not_that_there_is_no_figure() -> None:
    shown = page(figure("f1_exact", 0.571), figure("f1_partial", 0.7), figure("kendall_w", None, question="order"))
    assert "How far raters agree on spans, boxes, rankings and texts" in shown
    text = " ".join(Markup(shown).striptags().replace("\xa0", " ").split())
    assert "On ner, agreement by F1 (exact) is 0.571 (0.100 – 0.900)." in text
    assert "On order, agreement by Kendall's W is undefined: zero denominator" in text
    assert "No question has an agreement figure yet" not in text

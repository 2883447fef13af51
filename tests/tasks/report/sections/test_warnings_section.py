"""Warnings about estimates: each cause once, with its systems and their numbers."""

import html

import polars as pl

from stats.accuracy.gold.audit_notes import on_combined, on_more
from tasks.report.sections.warnings_section import cause_in_brief, grouped_warnings, warnings_of_others

FEW = "The estimate rests on few items: {} (fewer than 200). Expect an error of about .08 with 50 items."


def row(system: str, *warnings: str, method: str = "average") -> dict[str, object]:
    return {
        "question": "q",
        "system": system,
        "system_version": None,
        "method": method,
        "accuracy": 0.8,
        "warnings": list(warnings),
    }


def plain(markup: object) -> str:
    return html.unescape(str(markup).replace("<bdi>", "").replace("</bdi>", ""))


def test_a_cause_is_said_once_with_the_numbers_of_each_system() -> None:
    result = grouped_warnings([row("a", FEW.format(10)), row("b", FEW.format(70)), row("c", FEW.format(10), "Else.")])
    assert [plain(group.names) for group in result] == ["a, c and b (70)", "c"]
    assert plain(result[0].first_sentence) == "The estimate rests on few items: 10 (fewer than 200)."
    assert plain(result[0].rest) == "Expect an error of about .08 with 50 items."
    assert plain(result[1].first_sentence) == "Else."
    assert result[1].rest == ""


def test_two_pairs_of_raters_of_one_system_stay_apart() -> None:
    result = grouped_warnings([row("a", "Raters 1 and 3 err alike.", "Raters 2 and 4 err alike.")])
    assert [(plain(group.names), group.sentence) for group in result] == [
        ("a", "Raters 1 and 3 err alike."),
        ("a", "Raters 2 and 4 err alike."),
    ]


def test_over_questions_numbers_that_differ_are_a_range() -> None:
    groups = [grouped_warnings([row("a", FEW.format(n))])[0] for n in ("1,070", "70", "9")]
    assert plain(cause_in_brief(groups)) == "The estimate rests on few items: 9–1,070"
    assert plain(cause_in_brief(groups[1:2])) == "The estimate rests on few items: 70"


def test_notes_of_an_audit_warn_of_nothing() -> None:
    notes = (*on_combined(0.8, 0.7), *on_more(20, 0.11, ((50, 0.07),), None))
    assert len(notes) == 2
    assert all(group.is_informative for group in grouped_warnings([row("a", *notes)]))
    assert not grouped_warnings([row("a", FEW.format(3))])[0].is_informative


def test_the_other_methods_warnings_leave_out_what_is_said_already() -> None:
    rows = [row("a", FEW.format(10)), row("a", FEW.format(12), "Own.", method="lehner")]
    systems = pl.DataFrame(rows, schema_overrides={"system_version": pl.String}).with_columns(scope=pl.lit("all"))
    shown = grouped_warnings(rows[:1])
    result = warnings_of_others(systems, shown)
    assert [(plain(group.names), group.sentence) for group in result] == [("a by Lehner's method", "Own.")]


def test_hostile_names_and_sentences_are_text() -> None:
    group = grouped_warnings([row("<b>x", "Rater <script>1</script> copies. \u202eMore.")])[0]
    assert "<script>" not in f"{group.names}{group.first_sentence}{group.rest}{group.in_full}{cause_in_brief([group])}"
    assert "\u202e" not in group.rest

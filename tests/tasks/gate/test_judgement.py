"""Verdicts of single rules, and of all rules together."""

from itertools import product

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stats.agreement import agreement
from stats.verdict_interval import reaches
from tasks.gate.gate_figures import GateFigure, OpenAlert, RowCounts, accuracy_figure, agreement_figure
from tasks.gate.judgement import (
    EXIT_CODES,
    GateResult,
    RuleResult,
    Verdict,
    judge_alerts,
    judge_minimum,
    judge_rejected,
)

FIGURES = st.lists(st.floats(-1, 1), min_size=3, max_size=3).map(sorted)


def result(*verdicts: tuple[Verdict, Verdict]) -> GateResult:
    rules = tuple(RuleResult("min_alpha", verdict, 0.5, 0.6, "", counts_as) for verdict, counts_as in verdicts)
    return GateResult("place", rules, "interval")


@pytest.mark.parametrize(
    ("low", "high", "verdict", "reason"),
    [
        (0.61, 0.7, "pass", None),
        (0.6, 0.7, "pass", None),
        (0.55, 0.69, "unjudged", "limit_in_interval"),
        (0.5, 0.6, "unjudged", "limit_in_interval"),
        (0.5, 0.59, "finding", None),
        (None, 0.7, "unjudged", "no_interval"),
        (0.61, None, "unjudged", "no_interval"),
    ],
)
def test_the_interval_decides(low: float | None, high: float | None, verdict: str, reason: str | None) -> None:
    judgement = judge_minimum(GateFigure(0.62, low, high), 0.6, "interval")
    assert (judgement.verdict, judgement.reason) == (verdict, reason)


@pytest.mark.parametrize(
    ("limit", "reason"),
    [(0.9, "few_items"), (0.5, "few_items"), (0.7, "limit_in_interval")],
)
def test_an_interval_that_is_too_narrow_because_of_few_items_decides_nothing(limit: float, reason: str) -> None:
    """As for alerts: with 8 texts an interval of 95 % held the true value in 78 to 94 % of the cases."""
    row = {"coefficient": "f1_exact", "estimate": 0.7, "low": 0.6, "high": 0.8, "confidence": 0.95,
           "reason": None, "detail": None}  # fmt: skip
    few, enough = (agreement_figure(row | {"n_items": n_items}) for n_items in (19, 20))
    judged = judge_minimum(few, limit, "interval")
    assert (judged.verdict, judged.reason) == ("unjudged", reason)
    assert ("rests on 19 items" in judged.detail) == (reason == "few_items")
    expected = {0.9: "finding", 0.5: "pass"}.get(limit, "unjudged")
    assert judge_minimum(enough, limit, "interval").verdict == expected
    by_point = "pass" if limit <= 0.7 else "finding"
    assert judge_minimum(few, limit, "point").verdict == judge_minimum(enough, limit, "point").verdict == by_point
    of_labels = agreement_figure(row | {"coefficient": "gwet_ac1", "n_items": 19})
    assert judge_minimum(of_labels, limit, "interval").verdict == expected


@pytest.mark.parametrize(("estimate", "verdict"), [(0.6, "pass"), (0.59, "finding")])
def test_the_point_decides_where_that_is_asked_for(estimate: float, verdict: str) -> None:
    assert judge_minimum(GateFigure(estimate, 0.1, 0.9), 0.6, "point").verdict == verdict
    assert judge_minimum(GateFigure(estimate), 0.6, "point").verdict == verdict


@pytest.mark.parametrize("judge", ["interval", "point"])
def test_what_is_undefined_or_outdated_is_unjudged_with_its_reason(judge: str) -> None:
    undefined = judge_minimum(GateFigure(None, reason="too_few_items", detail="One item is too few."), 0.6, judge)
    assert (undefined.verdict, undefined.reason) == ("unjudged", "too_few_items")
    assert undefined.detail == "There is no figure: One item is too few."
    outdated = judge_minimum(GateFigure(0.9, 0.8, 1.0, reason="outdated", detail="New ratings came"), 0.6, judge)
    assert (outdated.verdict, outdated.reason, outdated.detail) == ("unjudged", "outdated", "New ratings came.")


def test_a_figure_without_a_sentence_is_unjudged_by_the_code_of_its_reason() -> None:
    assert judge_minimum(GateFigure(None, reason="no_items"), 0.6, "interval").detail == "There is no figure: no_items."
    assert judge_minimum(GateFigure(0.9, reason="outdated"), 0.6, "interval").detail == "outdated."
    assert judge_minimum(GateFigure(None, detail="Why?"), 0.6, "interval").reason == "undefined"


@given(figures=FIGURES, limit=st.floats(-1, 1))
def test_a_decided_interval_and_its_estimate_agree(figures: list[float], limit: float) -> None:
    low, estimate, high = figures
    by_interval = judge_minimum(GateFigure(estimate, low, high), limit, "interval")
    by_point = judge_minimum(GateFigure(estimate, low, high), limit, "point")
    assert by_interval.verdict in (by_point.verdict, "unjudged")
    assert (by_interval.verdict == "unjudged") == (reaches(high, limit) and not reaches(low, limit))


def test_a_figure_that_equals_the_limit_but_for_rounding_passes() -> None:
    figure = agreement_figure(brennan_prediger_of_two_in_five())
    assert 0.4 - 1e-12 < figure.estimate < 0.4
    assert judge_minimum(figure, 0.4, "point").verdict == "pass"
    assert judge_minimum(figure, 0.401, "point").verdict == "finding"


def brennan_prediger_of_two_in_five() -> dict[str, object]:
    """Three raters who all agree on two items of five, and two of whom agree on the others: (.6 - 1/3) / (2/3)."""
    ratings = pl.DataFrame(
        {"item": str(item), "rater": rater, "label": "b" if item > 1 and rater == "z" else "a"}
        for item in range(5)
        for rater in "xyz"
    )
    return agreement(ratings, labels=["a", "b", "c"], coefficients=["brennan_prediger"]).row(0, named=True)


@pytest.mark.parametrize(
    ("n_rejected", "n_rows", "limit", "verdict"),
    [(2, 100, 0.02, "pass"), (3, 100, 0.02, "finding"), (0, 5, 0.0, "pass"), (1, 5, 0.0, "finding"),
     (7, 1000, 0.007, "pass"), (5, 5, 1.0, "pass"), (3, 10, 0.3, "pass"), (1, 3, 0.333, "finding")],
)  # fmt: skip
def test_rejected_rows_are_counted_exactly(n_rejected: int, n_rows: int, limit: float, verdict: str) -> None:
    assert judge_rejected(RowCounts(n_rows, n_rejected), limit).verdict == verdict


@given(percent=st.integers(0, 10_000), n_rows=st.integers(1, 100_000))
def test_a_share_at_the_limit_passes_and_one_row_more_does_not(percent: int, n_rows: int) -> None:
    n_allowed = percent * n_rows // 10_000
    assert judge_rejected(RowCounts(n_rows, n_allowed), percent / 10_000).verdict == "pass"
    assert judge_rejected(RowCounts(n_rows, n_allowed + 1), percent / 10_000).verdict == "finding"


def test_no_rows_at_all_and_files_that_could_not_be_read_are_said() -> None:
    nothing = judge_rejected(RowCounts(0, 0, 2), 0.5)
    assert (nothing.verdict, nothing.reason) == ("unjudged", "no_rows")
    assert "2 files could not be read" in nothing.detail
    assert "1 file could not be read" in judge_rejected(RowCounts(10, 0, 1), 0.5).detail


@pytest.mark.parametrize(
    ("rows", "detail"),
    [
        (RowCounts(50, 1), "1 of 50 rows was rejected."),
        (RowCounts(1, 1), "1 of 1 row was rejected."),
        (RowCounts(1200, 2), "2 of 1,200 rows were rejected."),
        (RowCounts(50, 0), "0 of 50 rows were rejected."),
        (RowCounts(0, 0), "No row came in."),
    ],
)
def test_rejected_rows_are_told_in_a_sentence(rows: RowCounts, detail: str) -> None:
    assert judge_rejected(rows, 0.1).detail == detail


def test_an_open_alert_is_a_finding_that_names_it() -> None:
    assert judge_alerts([]).verdict == "pass"
    alerts = [OpenAlert("tone", "rater", "critical", "ann"), *[OpenAlert(None, "late", None)] * 6]
    judgement = judge_alerts(alerts)
    assert judgement.verdict == "finding"
    assert judgement.detail == "Open: tone rater ann (critical), late, late, late, late and 2 more."
    assert judge_alerts(alerts[:5]).detail == "Open: tone rater ann (critical), late, late, late, late."


@pytest.mark.parametrize(("first", "second"), list(product(EXIT_CODES, EXIT_CODES)))
def test_a_finding_outranks_unjudged_and_that_a_pass(first: Verdict, second: Verdict) -> None:
    results = result((first, first), (second, second))
    expected = next(verdict for verdict in ("finding", "unjudged", "pass") if verdict in (first, second))
    assert results.verdict == expected
    assert results.exit_code == {"pass": 0, "finding": 1, "unjudged": 3}[expected]


def test_what_an_unjudged_rule_counts_as_enters_the_verdict() -> None:
    assert result(("unjudged", "pass"), ("pass", "pass")).verdict == "pass"
    assert result(("unjudged", "finding"), ("pass", "pass")).verdict == "finding"
    assert result(("unjudged", "pass"), ("finding", "finding")).verdict == "finding"


@pytest.mark.parametrize(
    ("rule", "names", "subject"),
    [
        ("min_accuracy", {"system": "gpt"}, "gpt"),
        ("min_agreement", {"coefficient": "gwet_ac1"}, "gwet_ac1"),
        ("min_alpha", {"coefficient": "krippendorff_alpha"}, ""),
        ("no_open_alerts", {}, ""),
    ],
)
def test_a_rule_is_about_a_system_or_a_coefficient_that_it_does_not_name_itself(
    rule: str, names: dict[str, str], subject: str
) -> None:
    assert RuleResult(rule, "pass", 0.5, 0.6, "", "pass", "tone", **names).subject == subject  # type: ignore[arg-type]


def test_the_json_of_a_rule_begins_with_the_promised_keys() -> None:
    rule = result(("pass", "pass")).to_json()["rules"][0]  # type: ignore[index]
    assert list(rule)[:8] == ["rule", "question", "verdict", "estimate", "low", "high", "limit", "n_items"]
    assert {"system", "coefficient", "reason", "detail", "counts_as"} < set(rule)


def test_a_figure_that_weighs_near_misses_says_so() -> None:
    row = {"estimate": 0.945, "low": 0.93, "high": 0.96, "se": 0.01, "n_items": 398, "confidence": 0.95,
           "reason": None, "detail": None, "n_ratings": 1000}  # fmt: skip
    (note,) = agreement_figure(row | {"weights": "quadratic"}).warnings
    assert note.startswith("The figure has quadratic weights")
    assert agreement_figure(row | {"weights": "identity"}).warnings == ()


def test_the_detail_of_a_figure_is_a_warning_unless_it_is_the_reason_against_it() -> None:
    row: dict[str, object] = {
        "estimate": 0.5,
        "low": 0.4,
        "high": 0.6,
        "n_items": 30,
        "confidence": 0.95,
        "detail": "It is so.",
    }
    noted, refused = (agreement_figure(row | {"reason": reason}) for reason in (None, "too_few_items"))
    assert (noted.warnings, refused.warnings) == (("It is so.",), ())
    assert judge_minimum(noted, 0.3, "interval").verdict == "pass"
    assert judge_minimum(refused, 0.3, "interval").detail == "It is so."


@pytest.mark.parametrize(
    ("more", "judged", "is_outer"),
    [
        ({"outer_low": 0.6, "outer_high": 0.9, "n_gold": 0}, (0.6, 0.9), True),
        ({"outer_low": None, "outer_high": None, "n_gold": 0}, (0.7, 0.8), False),
        ({"outer_low": None, "outer_high": None, "n_gold": 40}, (0.7, 0.8), False),
        ({"outer_low": 0.6, "outer_high": None, "n_gold": None}, (0.7, 0.8), False),
        ({"outer_low": None, "outer_high": 0.9, "n_gold": None}, (0.7, 0.8), False),
        ({"n_gold": None}, (0.7, 0.8), False),  # of an older run
    ],
)
def test_an_accuracy_is_judged_by_its_outer_interval_if_it_has_one(
    more: dict[str, float | None], judged: tuple[float, float], is_outer: bool
) -> None:
    row = {"accuracy": 0.75, "low": 0.7, "high": 0.8, "n_items": 90, "confidence": 0.95, "method": "average",
           "reason": None, "detail": None, "warnings": None}  # fmt: skip
    figure = accuracy_figure(row | more)
    assert ((figure.low, figure.high), figure.outer) == (judged, is_outer)
    assert figure.warnings == ()

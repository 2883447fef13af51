"""What the reference fixes, and the charts that it does not allow."""

from collections.abc import Callable, Sequence
from typing import Any

import pytest

from stats.monitoring import DailyCounts, QuestionReference, fit_reference, reference_period

Rows = Callable[..., list[dict[str, Any]]]
Count = Callable[[Sequence[dict[str, Any]], Sequence[str]], DailyCounts]


def fitted(counts: DailyCounts) -> QuestionReference:
    period = reference_period(counts.items)
    assert period is not None
    return fit_reference(counts, period=period)


def charts_of(reference: QuestionReference) -> set[tuple[str, str | None]]:
    return {(series.chart, series.subject) for series in reference.series}


def test_all_charts_of_a_full_project(simulated_rows: Rows, count_days: Count) -> None:
    reference = fitted(count_days(simulated_rows(), ["A", "B", "C"]))
    raters = {
        (chart, rater) for chart in ("rater", "rater_labels", "rater_speed") for rater in ("ann", "bob", "cy", "dee")
    }
    assert charts_of(reference) == {("agreement", None), ("labels", None), ("system", "bot")} | raters
    assert reference.missing == ()
    assert reference.period.n_items == 400


def test_later_days_change_nothing(simulated_rows: Rows, count_days: Count) -> None:
    rows = simulated_rows()
    start = rows[0]["day"]
    early = [row for row in rows if (row["day"] - start).days < 25]
    assert fitted(count_days(rows, ["A", "B", "C"])) == fitted(count_days(early, ["A", "B", "C"]))


def test_rare_raters_have_no_chart(simulated_rows: Rows, count_days: Count) -> None:
    rows = simulated_rows()
    few = [row for row in rows if row["rater"] != "dee" or int(row["item"][1:]) < 45]
    reference = fitted(count_days(few, ["A", "B", "C"]))
    assert not [subject for _, subject in charts_of(reference) if subject == "dee"]
    assert all("reference_from" in chart.detail for chart in reference.missing if chart.chart != "rater_speed")
    missing = {(chart.chart, chart.subject, chart.reason) for chart in reference.missing}
    assert missing == {(chart, "dee", "too_few_items") for chart in ("rater", "rater_labels", "rater_speed")}


def test_votes_that_name_nobody_accuse_nobody(simulated_rows: Rows, count_days: Count) -> None:
    votes = {name: f"vote #{number}" for number, name in enumerate(("ann", "bob", "cy", "dee"), start=1)}
    rows = [{**row, "rater": votes.get(row["rater"], row["rater"])} for row in simulated_rows()]
    reference = fitted(count_days(rows, ["A", "B", "C"]))
    assert charts_of(reference) == {("agreement", None), ("labels", None), ("system", "bot")}
    assert [(chart.chart, chart.subject, chart.reason) for chart in reference.missing] == [
        ("rater", None, "unnamed_raters")
    ]


def test_two_raters(simulated_rows: Rows, count_days: Count) -> None:
    reference = fitted(count_days(simulated_rows(raters=("ann", "bob")), ["A", "B", "C"]))
    assert {chart for chart, _ in charts_of(reference)} == {"agreement", "labels", "rater_speed", "system"}
    assert {chart.reason for chart in reference.missing} == {"too_few_items"}
    assert all("compared with two others who rated the same item" in chart.detail for chart in reference.missing)


def test_one_rater(simulated_rows: Rows, count_days: Count) -> None:
    rows = simulated_rows(raters=("ann",), per_day=30)
    reference = fitted(count_days(rows, ["A", "B", "C"]))
    assert reference.agreement is None
    assert ("agreement", None, "too_few_ratings") in {(m.chart, m.subject, m.reason) for m in reference.missing}
    assert ("labels", None) in charts_of(reference)
    # nothing is said of agreement by chance, where there is no agreement
    assert {chart.reason for chart in reference.missing} == {"too_few_ratings", "too_few_items"}


def test_one_label(simulated_rows: Rows, count_days: Count) -> None:
    rows = [row | {"label": "A"} for row in simulated_rows()]
    reference = fitted(count_days(rows, ["A", "B"]))
    reasons = {chart.chart: chart.reason for chart in reference.missing}
    assert reasons["agreement"] == reasons["rater"] == "zero_denominator"
    assert all("have one label" in chart.detail for chart in reference.missing if chart.chart in reasons)
    assert all(series.variance >= 0.001 for series in reference.series)
    assert reference.to_json()["agreement"] is None


@pytest.mark.parametrize("coefficient", ["krippendorff_alpha", "gwet_ac1", "percent_agreement"])
def test_another_coefficient(simulated_rows: Rows, count_days: Count, coefficient: str) -> None:
    counts = count_days(simulated_rows(), ["A", "B", "C"])
    period = reference_period(counts.items)
    assert period is not None
    reference = fit_reference(counts, period=period, coefficient=coefficient)
    level = next(series.level for series in reference.series if series.chart == "agreement")
    assert reference.agreement is not None
    assert level == pytest.approx(reference.agreement.estimate, abs=1e-12)
    assert reference.span == fitted(counts).span

"""What each kind of alert found: one sentence with the figures, the same in messages, report and terminal."""

from dataclasses import replace
from datetime import UTC, date, datetime
from html import unescape
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from stats.monitoring import ChartAlarm, Incident, VersionComparison
from tasks.monitor.alert_findings import Wording, finding, rule_finding
from tasks.monitor.alert_kinds import KINDS
from tasks.monitor.chart_alerts import chart_alert, chart_alerts
from tasks.monitor.chart_drawing import DrawnCharts
from tasks.monitor.monitoring_configs import AlertConfig
from tasks.monitor.rules import RULES
from tasks.monitor.rules.alert_rule import RuleContext
from tasks.notify.compose import compose
from tasks.notify.message_context import MessageContext
from tasks.notify.message_styles import PlainStyle
from tasks.report.sections.intake_section import alert_words
from warehouse.alerting.messages import Digest, IncidentAlert, UnsentMessage

NOW = datetime(2027, 6, 1, 12, tzinfo=UTC)
WORDING = Wording(PlainStyle(), NOW.date(), "Fleiss' kappa")
CONTEXT = RuleContext(NOW, "krippendorff_alpha", "krippendorff_alpha")
INTERVAL = {"low": 0.581, "high": 0.632, "n_items": 1202}
DAYS = {"first_day": date(2026, 1, 5), "last_day": date(2026, 3, 3), "newest_day": date(2026, 3, 24)}
RULE_ROWS: dict[str, dict[str, Any]] = {
    "low_agreement": {"estimate": 0.606, "threshold": 0.65, **INTERVAL},
    "recent_agreement": {"estimate": 0.606, "threshold": 0.65, **INTERVAL},
    "batch_late": {"last_at": datetime(2027, 5, 28, 6, tzinfo=UTC), "threshold": 86_400.0, "file_name": "a.csv",
                   "source": "inbox"},
    "rater_missing": {"rater": "r3", "threshold": 14 * 86_400.0, "n_ratings": 40, **DAYS},
    "rejected_rows": {"source": "inbox", "share": 0.3, "n_rows": 40, "n_rejected": 12, "file_name": "a.csv",
                      "threshold": 0.125},
    "new_label": {"label": "spam", "label_day": date(2026, 3, 2), "n_items": 5, "threshold": 7 * 86_400.0, **DAYS},
    "ratings_per_item": {"n_items": 300, "n_annotators": 420, "sum_of_squares": 660.0, "threshold": 2.0},
    "gold_score": {"rater": "r3", "accuracy": 0.606, "n_gold": 40, "threshold": 0.65, **INTERVAL},
}  # fmt: skip
FINDINGS = {
    "low_agreement": "The annotators of 'tone' agree less than the threshold set for it: Krippendorff's alpha 0.606 "
    "[0.581, 0.632], threshold 0.65.",
    "recent_agreement": "On the 1,202 items of 'tone' that were rated last, the annotators agree less than the "
    "threshold set for them: Krippendorff's alpha 0.606 [0.581, 0.632] of 1,202 items, threshold 0.65.",
    "batch_late": "No new ratings of 'tone' came for more than 1 day: last batch a.csv of inbox at 2027-05-28 06:00 "
    "UTC.",
    "rater_missing": "Annotator r3 gave no ratings of 'tone' for more than 14 days, while others did: last rating "
    "2026-03-03, newest rating of the question 2026-03-24, 40 ratings in all.",
    "rejected_rows": "Of a batch of the source inbox, which belongs to 'tone', a larger share of the rows was rejected "
    "than you allow: 12 of 40 rows of a.csv (30%), limit 12.5%.",
    "new_label": "The label spam is new in 'tone': first on 2026-03-02, 5 items so far; the question began on "
    "2026-01-05.",
    "ratings_per_item": "The items of 'tone' that were rated in the last weeks have fewer annotators each than you "
    "want: 1.40 [1.34, 1.46] annotators per item, of 300 items, limit 2.",
    "gold_score": "Annotator r3 is right in 'tone', audited with gold, less often than you allow: accuracy 0.606 "
    "[0.581, 0.632] with 40 gold items, limit 0.65.",
    "agreement": "Since about 16 February 2026 (9-24 February 2026, 90 % sure), the annotators agree less: Fleiss' "
    "kappa fell from 0.672 [0.637, 0.708] to 0.524 [0.467, 0.580] (159 items until 26 February 2026).",
    "labels": "Since about 16 February 2026 (9-24 February 2026, 90 % sure), the annotators give the label spam less "
    "often: its share went from 67 % to 2.1 % (159 items until 26 February 2026).",
    "rater": "Since about 16 February 2026 (9-24 February 2026, 90 % sure), annotator r3 agrees with the others .14 "
    "less than they agree with each other on the same items (159 items until 26 February 2026); before, there was no "
    "difference.",
    "rater_labels": "Since about 16 February 2026 (9-24 February 2026, 90 % sure), annotator r3 gives the label spam "
    "more often than before, compared with the others on the same items: the difference went from +.02 to +.25 "
    "(159 items until 26 February 2026).",
    "rater_speed": "Since about 16 February 2026 (9-24 February 2026, 90 % sure), annotator r3 answers faster: 40 % of "
    "the answers take less time than the fastest tenth of the reference did; before, it was 9.8 % (159 ratings until "
    "26 February 2026).",
    "system": "Since about 16 February 2026 (9-24 February 2026, 90 % sure), system r3 is right less often: its "
    "accuracy, by the model of the annotators, went from .86 to .75 (159 items until 26 February 2026).",
    "version": "Version 2 of system gpt is right less often than version 1: its accuracy, by the model of the "
    "annotators, went from 0.860 to 0.750, a difference of -0.110 [-0.149, -0.071], on 200 items since "
    "16 February 2026. The annotators agree less since about 16 February 2026, but the model assumes that they are as "
    "good as before. So they may be the cause, and only right answers (gold) tell.",
}
MOVES = {"agreement": (0.67, 0.53), "labels": (0.67, 0.021), "rater": (0.0047, -0.14), "rater_labels": (0.02, 0.25),
         "rater_speed": (0.098, 0.4), "system": (0.86, 0.75)}  # fmt: skip
WINDOWS = "fleiss_kappa 0.672 [0.637, 0.708] before, 0.524 [0.467, 0.580] since 2026-02-16"


def alarm(chart: str) -> ChartAlarm:
    before, after = MOVES[chart]
    has_label = chart in ("labels", "rater_labels")
    subject = None if chart in ("agreement", "labels") else "r3"
    low, changed, high = date(2026, 2, 9), date(2026, 2, 16), date(2026, 2, 24)
    return ChartAlarm(chart, subject, "spam" if has_label else None, "down", date(2026, 2, 26), changed, low, high,
                      None, before, after, 1723.0, 159)  # fmt: skip


def of_charts() -> dict[str, dict[str, Any]]:
    """The alerts of one alarm of each chart and of a version that is worse, by kind."""
    incidents = [Incident((alarm(chart),)) for chart in MOVES]
    version = VersionComparison("gpt", "1", "2", date(2026, 2, 16), date(2026, 3, 2), 900, 200, "worse", 0.86, 0.75,
                                -0.11, 0.02, 90.0)  # fmt: skip
    config = SimpleNamespace(false_alarms_per_year=1.0, coefficient="fleiss_kappa")
    inputs = SimpleNamespace(plan=SimpleNamespace(config=config))
    drawn = SimpleNamespace(inputs=inputs, incidents=incidents, versions=(version,))
    return {alert.kind: vars(alert) for alert in chart_alerts(cast(DrawnCharts, drawn), AlertConfig(), WINDOWS)}


def of_rules() -> dict[str, dict[str, Any]]:
    """The alert of a finding of each rule, by kind."""
    return {
        kind: {"subject": result.subject, "after": result.value, "detail": result.detail, "evidence": result.evidence}
        for kind, row in RULE_ROWS.items()
        for result in RULES[kind].judge([{"question": "tone", "coefficient": "krippendorff_alpha", **row}], CONTEXT)
    }


ALERTS = of_charts() | of_rules()
NONE = dict.fromkeys((*IncidentAlert.__dataclass_fields__, "state"))


def alert_row(kind: str) -> dict[str, Any]:
    return NONE | {"alert_id": "a", "incident_id": "i", "question": "tone", "kind": kind} | ALERTS[kind]


@pytest.mark.parametrize("kind", KINDS)
def test_each_kind_has_one_sentence_with_its_figures_everywhere(kind: str) -> None:
    row = alert_row(kind)
    alert = IncidentAlert.of(row)
    assert finding(alert, WORDING) == FINDINGS[kind]
    digest = Digest("d", "TEAM", (UnsentMessage("m", "i", "tone", "opened", ("a",), "TEAM", 0),))
    context = MessageContext("Support", Path("/p"), Path("/p/report.html"), Path("/p/snapshot.duckdb"))
    assert f"\n{FINDINGS[kind]}" in compose(digest, [alert], context, now=NOW).text
    assert FINDINGS[kind] in unescape(alert_words(row).striptags())


def test_the_coefficient_itself_is_told_only_if_it_moved_as_the_chart_did() -> None:
    row = alert_row("agreement")
    for evidence in (row["evidence"].replace(" before, 0.524 ", " before, 0.774 "), "before 0.670, after 0.530"):
        text = finding(IncidentAlert.of(row | {"evidence": evidence}), WORDING)
        assert ": Fleiss' kappa fell from .67 to .53 (159 items until 26 February 2026)." in text


def test_a_rater_whose_name_looks_like_figures_does_not_take_their_place() -> None:
    name = "x; f1_exact 0.900 before, 0.100 since 2026-01-05; newcomer y"
    incident = Incident((alarm("agreement"), replace(alarm("rater"), subject=name)))
    assert incident.raters == (name,)
    row = vars(chart_alert(incident.alarms[0], incident, 1, AlertConfig(), WINDOWS))
    assert "after 0.530" in row["evidence"]
    assert finding(IncidentAlert.of(alert_row("agreement") | row), WORDING) == FINDINGS["agreement"]


@pytest.mark.parametrize(
    ("low", "high", "text"),
    [
        (0.3, 0.7, "but the interval still reaches it: Krippendorff's alpha 0.500 [0.300, 0.700], threshold 0.65."),
        (None, None, "but this may be chance: Krippendorff's alpha 0.500 without an interval, threshold 0.65."),
    ],
)
def test_agreement_that_may_reach_the_threshold_only_seems_to_be_lower(
    low: float | None, high: float | None, text: str
) -> None:
    row = {"question": "tone", "estimate": 0.5, "threshold": 0.65, "low": low, "high": high, "n_items": 3}
    row |= {"coefficient": "krippendorff_alpha"}
    (result,) = RULES["low_agreement"].judge([row], CONTEXT)
    sentence = "The annotators of 'tone' seem to agree less than the threshold set for it, "
    assert rule_finding(result.detail, result.evidence) == sentence + text


def test_without_figures_the_sentence_or_the_name_of_the_kind_is_left() -> None:
    assert rule_finding("They agree less.", '{"alpha": 0.5}') == "They agree less."
    assert rule_finding(None, None) == ""
    assert finding(IncidentAlert.of(alert_row("rater") | {"before": None, "detail": None, "evidence": None}), WORDING
                   ) == "Annotator r3."  # fmt: skip

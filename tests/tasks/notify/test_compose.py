"""What messages say, and that no name can change a message."""

from dataclasses import replace
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import pytest
from apprise.conversion import markdown_to_html
from hypothesis import given
from hypothesis import strategies as st

from tasks.notify.compose import MAX_HEADINGS, MAX_IN_FULL, DigestText, compose
from tasks.notify.message_context import MessageContext
from warehouse.alerting.messages import Digest, IncidentAlert, UnsentMessage

NOW = datetime(2026, 3, 14, 6, tzinfo=UTC)
FOLDER = Path("/projects/support")
CONTEXT = MessageContext("Support", FOLDER, FOLDER / "report.html", FOLDER / "published" / "snapshot.duckdb")
RATER = IncidentAlert(
    "a1", "i1", "tone", "rater", "r3", "warning", None, NOW, date(2026, 3, 6), date(2026, 3, 4), date(2026, 3, 12),
    0.0, -0.12, 330, None, None, None, None, None,
)  # fmt: skip
AGREEMENT = replace(RATER, alert_id="a2", kind="agreement", subject=None, before=0.57, after=0.42)
NEWCOMER = (
    "score of the chart: before 0.57; fleiss_kappa 0.570 [0.5, 0.6] before, 0.420 [0.4, 0.5] since 2026-03-06"
    "; newcomer dora from 2026-03-05, pairs that agree: 0.450 [0.400, 0.500] with, 0.700 [0.650, 0.750] without"
    "; without 1 newcomer fleiss_kappa 0.560 [0.510, 0.610] since"
)
HOSTILE = [
    "<script>alert(1)</script>", "@channel", "@everyone", "<!channel>", "<!here|x>", "<@U123>", "*bold* _it_ `code`",
    "[click](http://evil.example)", "http://evil.example", "a\nReport: /etc/passwd", "a\r\nBcc: x@y.z", "# big",
    "| a | b |", "```\nx", "&lt;!channel&gt;", "<at>Ann</at>", "\u202eevil", "a\u2028b", "x" * 5000, "",
    "}}{{ 7 * 7 }}", "@U1 | x>", "![x](http://evil.example/i.png)",
]  # fmt: skip


def message(*alerts: IncidentAlert, event: str = "opened", number: int = 1) -> UnsentMessage:
    ids = tuple(alert.alert_id for alert in alerts)
    return UnsentMessage(f"m{number}", alerts[0].incident_id, alerts[0].question, event, ids, "TEAM", 0)


def composed(*alerts: IncidentAlert, event: str = "opened", others: tuple[IncidentAlert, ...] = (), **context: Any
             ) -> DigestText:  # fmt: skip
    digest = Digest("d1", "TEAM", (message(*alerts, event=event),))
    return compose(digest, [*alerts, *others], replace(CONTEXT, **context), now=NOW)


def test_the_message_of_a_rater_in_full() -> None:
    text = composed(RATER)
    assert text.title == "Support: Alert opened in tone: annotator r3"
    assert text.mood == "warning"
    assert (
        text.text
        == """\
Alert opened in tone: annotator r3
Since about 6 March (4-12 March, 90 % sure), annotator r3 agrees with the others .12 less than they agree with each \
other on the same items (330 items); before, there was no difference.
In a healthy project all charts of this question together raise about one such alarm a year.
Look at the items on which annotator r3 and the others differ.
Alert: a1
Alerts by SQL: kappaflow sql --project /projects/support "from alerts where incident_id = 'i1'"
More: kappaflow alerts show --project /projects/support a1
Charts by SQL: kappaflow sql --project /projects/support "from incident_charts('i1')"

Report: /projects/support/report.html
Snapshot: /projects/support/published/snapshot.duckdb
"""
    )


def test_the_same_in_markdown() -> None:
    text = composed(RATER).markdown
    heading = "**Alert opened in `tone`: annotator `r3`**\n\n"
    assert text.startswith(f"{heading}Since about 6 March (4-12 March, 90 % sure), annotator `r3` agrees with")
    assert "\n- Charts by SQL: `kappaflow sql --project /projects/support \"from incident_charts('i1')\"`\n" in text
    html = markdown_to_html(text)
    assert "<strong>Alert opened in <code>tone</code>: annotator <code>r3</code></strong>" in html
    assert html.count("<li>") == 4


def test_if_only_agreement_fell_nobody_stands_out() -> None:
    text = composed(AGREEMENT).text
    since = "Since about 6 March (4-12 March, 90 % sure), "
    assert f"{since}the annotators agree less: Fleiss' kappa fell from .57 to .42 (330 items)." in text
    assert "No annotator's own chart shows a change: look at the items, at the guideline" in text
    # an annotator who joined has no chart yet, so nothing says that nobody stands out
    assert "who began or ceased to rate" in text
    assert "stands out" not in text


def test_a_newcomer_whose_ratings_the_fall_comes_with_stands_out() -> None:
    text = composed(replace(AGREEMENT, evidence=NEWCOMER)).text
    assert (
        "Fleiss' kappa fell from 0.570 [0.5, 0.6] to 0.420 [0.4, 0.5] (330 items). Annotator dora began to rate on "
        "5 March: pairs of ratings with this annotator agree in 0.450 [0.400, 0.500], other pairs in 0.700 [0.650, "
        "0.750] of the cases. Without this annotator, Fleiss' kappa is 0.560 [0.510, 0.610] since then." in text
    )
    assert "Look first at the items on which dora and the others differ." in text
    assert "No annotator's own chart" not in text


def test_an_incident_names_the_question_and_all_of_its_subjects() -> None:
    text = composed(AGREEMENT, RATER)
    assert text.title == "Support: Alert opened in tone: agreement, annotator r3"
    assert "No annotator's own chart" not in text.text
    assert "the items on which annotator r3 and the others differ" in text.text


def test_a_rater_who_already_has_an_alert_of_the_incident_stands_out() -> None:
    assert "No annotator's own chart" not in composed(AGREEMENT, others=(RATER,)).text


@pytest.mark.parametrize(
    ("fields", "text"),
    [
        ({"kind": "labels", "subject": "spam", "before": 0.2, "after": 0.31},
         "the annotators give the label spam more often: its share went from 20 % to 31 % (330 items)."),
        ({"kind": "rater_labels", "before": 0.01, "after": -0.2, "label": "spam"},
         "annotator r3 gives the label spam less often than before, compared with the others on the same items: the "
         "difference went from +.01 to -.20 (330 items)."),
        ({"kind": "rater_speed", "before": 0.1, "after": 0.4},
         "annotator r3 answers faster: 40 % of the answers take less time than the fastest tenth of the reference did; "
         "before, it was 10 % (330 ratings)."),
        ({"kind": "system", "subject": "gpt", "before": 0.85, "after": 0.746},
         "system gpt is right less often: its accuracy, by the model of the annotators, went from .85 to .75 (330 "
         "items)."),
        ({"kind": "version", "subject": "gpt", "before": 0.7, "after": 1.0},
         "system gpt has a new version, which is better: its accuracy, by the model of the annotators, is 1.00, that "
         "of the version before was .70 (330 items)."),
        ({"kind": "rater", "before": 0.11, "after": 0.02, "n_items": 1},
         "annotator r3 agrees with the others .02 more than they agree with each other on the same items (1 item); "
         "before, it was .11 more."),
    ],
)  # fmt: skip
def test_each_chart_has_its_sentence(fields: dict[str, Any], text: str) -> None:
    assert f"Since about 6 March (4-12 March, 90 % sure), {text}" in composed(replace(RATER, **fields)).text


def test_a_rule_says_its_own_sentence_and_figures() -> None:
    rule = replace(
        RATER, kind="low_agreement", subject=None, before=None, after=None, changed_on=None, severity="critical",
        detail="The annotators of 'tone' agree less than the threshold set for it.",
        evidence="alpha 0.43, threshold 0.6",
    )  # fmt: skip
    text = composed(rule)
    assert text.title == "Support: Critical alert opened in tone: low agreement"
    assert text.mood == "bad"
    assert "The annotators of 'tone' agree less than the threshold set for it: alpha 0.43, threshold 0.6." in text.text
    assert "In a healthy project" not in text.text
    assert "incident_charts" not in text.text
    assert "Look at the labels and the pairs of annotators that disagree most." in text.text
    assert (
        'Figures by SQL: kappaflow sql --project /projects/support "select scope, coefficient, weights, estimate'
        in text.text
    )
    assert "question = (select question from alerts where alert_id = 'a1')\"" in text.text
    closed = composed(replace(rule, closed_at=NOW, closed_because="recovered"), event="closed").text
    assert "low agreement: recovered. Its limit is met again." in closed
    gold = replace(rule, kind="gold_score", subject="r3", closed_at=NOW, closed_because="recovered")
    assert "recovered. Its limit is no longer missed for sure." in composed(gold, event="closed").text


def test_a_chart_tells_its_figures_and_where_there_is_more() -> None:
    figures = "before 0.010, after -0.120, the chart's statistic 9,000 on 2026-03-12"
    text = composed(replace(RATER, evidence=figures))
    assert f"before, there was no difference. Figures: {figures}." in text.text
    assert "More: kappaflow alerts show --project /projects/support a1" in text.text
    assert "More: `kappaflow alerts show --project /projects/support a1`" in text.markdown
    assert "Figures" not in composed(RATER).text


def test_an_incident_names_everybody_and_their_figures() -> None:
    agreement = replace(AGREEMENT, evidence="alpha 0.57 [0.52, 0.62] before, 0.42 [0.36, 0.48] since")
    text = composed(agreement, RATER)
    assert text.title == "Support: Alert opened in tone: agreement, annotator r3"
    assert "Figures: alpha 0.57 [0.52, 0.62] before, 0.42 [0.36, 0.48] since." in text.text
    assert text.text.count("More: kappaflow alerts show") == 2


@pytest.mark.parametrize(
    ("reason", "sentence"),
    [
        ("recovered", "r3: recovered. The old level is back. It had changed about 6 March (4-12 March, 90 % sure)."),
        ("revised", "r3: revised. Corrected ratings no longer show it."),
        ("accepted", "r3: accepted. It was accepted as the new normal."),
        ("no figure", "r3: no figure. There is no longer a figure, or enough behind it, to hold to its limit."),
        ("no limit", "r3: no limit. The settings have no limit for it any more."),
        (None, "r3: closed. Somebody closed it."),
        ("a new guideline.", "r3: a new guideline. So said who closed it."),
    ],
)
def test_a_closed_alert_says_why(reason: str | None, sentence: str) -> None:
    text = composed(replace(RATER, closed_at=NOW, closed_because=reason), event="closed", others=(AGREEMENT,))
    assert text.mood == ("warning" if reason == "no figure" else "good")
    assert sentence in text.text
    assert "Still open: agreement." in text.text


def test_an_alert_that_was_closed_before_its_message_was_sent_says_so() -> None:
    closed = replace(RATER, closed_at=NOW, closed_because="revised")
    text = composed(closed)
    assert text.title == "Support: Alert opened and closed since in tone: annotator r3"
    assert "Since about" in text.text
    assert "revised. Corrected ratings" in text.text
    reminder = composed(closed, event="reminder")
    assert "still open" not in reminder.title
    waited = Digest("d1", "TEAM", (message(closed), message(closed, event="closed", number=2)))
    assert compose(waited, [closed], CONTEXT, now=NOW) == text, "one entry, not two"
    both = replace(waited, messages=(*waited.messages, message(AGREEMENT, number=3)))
    title = compose(both, [closed, AGREEMENT], CONTEXT, now=NOW).title
    assert title == "Support: 2 alerts, 1 opened, 1 opened and closed since"


def test_a_reminder_says_that_it_is_still_open() -> None:
    assert composed(RATER, event="reminder").title == "Support: Alert still open in tone: annotator r3"


@pytest.mark.parametrize(
    ("per_year", "text"),
    [(1, "about one such alarm a year"), (2, "about two such alarms a year"), (2.5, "about 2.5 such alarms a year"),
     (0.5, "about one such alarm in 2 years")],
)  # fmt: skip
def test_the_promise_is_that_of_the_settings(per_year: float, text: str) -> None:
    assert text in composed(RATER, false_alarms_per_year=per_year).text


@pytest.mark.parametrize(
    ("low", "high", "text"),
    [
        (date(2026, 2, 27), date(2026, 3, 12), "6 March (27 February-12 March, 90 % sure)"),
        (date(2025, 12, 30), date(2026, 3, 12), "6 March (30 December 2025-12 March 2026, 90 % sure)"),
        (date(2026, 3, 6), date(2026, 3, 6), "6 March, annotator r3"),
        (None, None, "6 March, annotator r3"),
    ],
)
def test_days_are_named_as_people_do(low: date | None, high: date | None, text: str) -> None:
    assert f"Since about {text}" in composed(replace(RATER, changed_low=low, changed_high=high)).text


def test_a_date_of_another_year_has_its_year() -> None:
    old = replace(RATER, changed_on=date(2025, 12, 30), changed_low=date(2025, 12, 28), changed_high=date(2025, 12, 31))
    assert "Since about 30 December 2025 (28-31 December 2025, 90 % sure), annotator r3" in composed(old).text


def test_the_owner_is_named() -> None:
    assert "\nOwner: ann\n" in composed(replace(RATER, owner="ann")).text


def test_a_long_digest_tells_the_first_in_full_and_counts_the_last() -> None:
    alerts = [replace(RATER, alert_id=f"a{n}", incident_id=f"i{n}", subject=f"r{n}") for n in range(200)]
    digest = Digest("d1", "TEAM", tuple(message(alert, number=n) for n, alert in enumerate(alerts)))
    text = compose(digest, alerts, CONTEXT, now=NOW)
    assert text.title == "Support: 200 alerts, 200 opened"
    assert text.text.count("Since about") == MAX_IN_FULL
    assert text.text.count("Alert opened in tone") == MAX_IN_FULL + MAX_HEADINGS
    assert f"And {200 - MAX_IN_FULL - MAX_HEADINGS} more: kappaflow sql" in text.text


@pytest.mark.parametrize("name", HOSTILE)
@pytest.mark.parametrize("event", ["opened", "closed"])
def test_no_name_breaks_out(name: str, event: str) -> None:
    check_harmless(name, event)


@given(st.text(max_size=200))
def test_no_random_name_breaks_out(name: str) -> None:
    check_harmless(name, "opened")


def check_harmless(name: str, event: str) -> None:
    """A message with the name has the lines, the markup and the tags of one with a harmless name."""

    def digest(text: str) -> DigestText:
        rule = replace(RATER, alert_id="a3", kind="rule", subject=text, before=None, detail=text, evidence=f"{text} .3")
        fall = replace(AGREEMENT, evidence=NEWCOMER.replace("dora", text or " "))
        incident = [replace(alert, question=text, owner=text or "x", subject=text) for alert in (fall, RATER, rule)]
        closed = [replace(alert, closed_because="recovered") for alert in incident]
        return composed(*(closed if event == "closed" else incident), event=event, name=text)

    hostile, calm = digest(name), digest("name")
    assert hostile.text.count("\n") == calm.text.count("\n")
    assert "\n" not in hostile.title
    for text in (hostile.title, hostile.text, hostile.markdown):
        assert all(char.isprintable() or char in "\n\u200b" for char in text)
        assert "<" not in text
        assert ">" not in text
        assert text.count("@") == text.count("@\u200b")
        assert "://" not in text
        assert "](" not in text
    assert tags(hostile.markdown) == tags(calm.markdown)


def tags(markdown: str) -> list[str]:
    """The tags of a message as HTML, in order, with the number of links."""
    html = markdown_to_html(markdown)
    return [part.split(">")[0] for part in html.split("<")[1:]]
